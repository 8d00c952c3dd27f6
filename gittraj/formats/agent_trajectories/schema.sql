-- The tables of the first design of agent-trajectories.
CREATE TABLE trajectories (
  id TEXT PRIMARY KEY, task_source TEXT, task_id TEXT, task_title TEXT NOT NULL, project_id TEXT,
  started_at TEXT NOT NULL, completed_at TEXT, agent_names JSON, commit_shas JSON, files_changed JSON,
  chapters JSON NOT NULL, retrospective JSON, version INTEGER NOT NULL, created_at TEXT, updated_at TEXT
);
CREATE TABLE trajectory_events (
  id INTEGER PRIMARY KEY, trajectory_id TEXT NOT NULL REFERENCES trajectories(id), chapter_id TEXT NOT NULL,
  ts INTEGER NOT NULL, type TEXT NOT NULL, agent_name TEXT, content TEXT NOT NULL, raw JSON,
  significance TEXT, tags JSON
);
CREATE INDEX idx_trajectory_events ON trajectory_events(trajectory_id, ts);
CREATE INDEX idx_trajectories_task ON trajectories(task_source, task_id);
