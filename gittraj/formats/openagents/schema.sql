-- The tables of OpenAgents' migration 004_trajectories, with triggers that SQLite can run.
CREATE TABLE _schema_version (
  version TEXT PRIMARY KEY,
  applied_at TEXT NOT NULL DEFAULT (datetime('now'))
);
CREATE TABLE trajectories (
  session_id TEXT PRIMARY KEY,
  schema_version TEXT NOT NULL,
  agent_name TEXT NOT NULL,
  agent_version TEXT,
  model_name TEXT,
  step_count INTEGER NOT NULL DEFAULT 0,
  first_step_at TEXT,
  last_step_at TEXT,
  total_cost_usd REAL DEFAULT 0,
  total_tokens INTEGER DEFAULT 0,
  trajectory JSON NOT NULL,
  embedding BLOB,
  created_at TEXT NOT NULL DEFAULT (datetime('now')),
  indexed_at TEXT
);
CREATE TABLE testgen_trajectories (
  session_id TEXT PRIMARY KEY REFERENCES trajectories(session_id) ON DELETE CASCADE,
  task_id TEXT NOT NULL,
  task_description TEXT NOT NULL,
  total_tests INTEGER NOT NULL,
  total_rounds INTEGER NOT NULL,
  category_rounds JSON,
  comprehensiveness_score REAL,
  total_tokens_used INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  tests JSON NOT NULL,
  reflections JSON,
  environment JSON,
  uncertainties JSON,
  created_at TEXT NOT NULL DEFAULT (datetime('now'))
);
CREATE INDEX idx_trajectories_agent ON trajectories(agent_name);
CREATE INDEX idx_trajectories_model ON trajectories(model_name);
CREATE INDEX idx_trajectories_created_at ON trajectories(created_at);
CREATE INDEX idx_trajectories_step_count ON trajectories(step_count);
CREATE INDEX idx_trajectories_cost ON trajectories(total_cost_usd);
CREATE INDEX idx_trajectories_agent_created ON trajectories(agent_name, created_at);
CREATE INDEX idx_testgen_task ON testgen_trajectories(task_id);
CREATE INDEX idx_testgen_created_at ON testgen_trajectories(created_at);
CREATE INDEX idx_testgen_score ON testgen_trajectories(comprehensiveness_score);
CREATE VIRTUAL TABLE trajectories_fts USING fts5(session_id UNINDEXED, agent_name UNINDEXED, content);
CREATE TRIGGER trajectories_fts_insert AFTER INSERT ON trajectories BEGIN
  INSERT INTO trajectories_fts(rowid, session_id, agent_name, content)
  VALUES (NEW.rowid, NEW.session_id, NEW.agent_name, 
    CASE WHEN json_valid(NEW.trajectory) THEN
        coalesce((SELECT group_concat(json_extract(value, '$.message'), ' ')
                  FROM json_each(NEW.trajectory, '$.steps')
                  WHERE json_type(value, '$.message') IS NOT NULL), '')
        || ' ' ||
        coalesce((SELECT group_concat(json_extract(call.value, '$.function_name'), ' ')
                  FROM json_each(NEW.trajectory, '$.steps') AS step,
                       json_each(step.value, '$.tool_calls') AS call), '')
    ELSE '' END
);
END;
CREATE TRIGGER trajectories_fts_update AFTER UPDATE ON trajectories BEGIN
  DELETE FROM trajectories_fts WHERE rowid = OLD.rowid;
  INSERT INTO trajectories_fts(rowid, session_id, agent_name, content)
  VALUES (NEW.rowid, NEW.session_id, NEW.agent_name, 
    CASE WHEN json_valid(NEW.trajectory) THEN
        coalesce((SELECT group_concat(json_extract(value, '$.message'), ' ')
                  FROM json_each(NEW.trajectory, '$.steps')
                  WHERE json_type(value, '$.message') IS NOT NULL), '')
        || ' ' ||
        coalesce((SELECT group_concat(json_extract(call.value, '$.function_name'), ' ')
                  FROM json_each(NEW.trajectory, '$.steps') AS step,
                       json_each(step.value, '$.tool_calls') AS call), '')
    ELSE '' END
);
END;
CREATE TRIGGER trajectories_fts_delete AFTER DELETE ON trajectories BEGIN
  DELETE FROM trajectories_fts WHERE rowid = OLD.rowid;
END;
INSERT INTO _schema_version VALUES ('1.3.0', '1970-01-01 00:00:00'), ('004_trajectories', '1970-01-01 00:00:00');
