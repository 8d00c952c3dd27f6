"use strict";
(() => {
  const page = document.documentElement;
  page.classList.add("live");
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const field = document.getElementById("find");
  const hits = document.getElementById("hits");
  const fold = document.getElementById("fold");
  const events = all(".event");
  const chips = all("[data-show]");
  const blocks = all(".trajectory > .properties, .trajectory > section:not(.happened)");
  const texts = new Map();

  const unfold = (element) => {
    for (let at = element; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  };
  const textOf = (element) => {
    if (!texts.has(element)) texts.set(element, element.textContent.toLowerCase());
    return texts.get(element);
  };

  // the target of a link may be folded
  const arrive = () => {
    let name = location.hash.slice(1);
    try { name = decodeURIComponent(name); } catch { /* not encoded: used as it is */ }
    const target = name && document.getElementById(name);
    if (!target) return;
    unfold(target);
    target.scrollIntoView({ block: "start" });
    if (target.matches(".event")) target.querySelector("a").focus({ preventScroll: true });
  };
  addEventListener("hashchange", arrive);
  arrive();
  addEventListener("load", arrive); // the browser's own arrival takes the focus away

  // a print shows what was unfolded, and every chapter
  addEventListener("beforeprint", () => all(".chapter").forEach((chapter) => { chapter.open = true; }));

  const mark = (elements, words) => {
    if (!window.CSS || !CSS.highlights) return;
    CSS.highlights.delete("found");
    if (!words.length) return;
    const ranges = [];
    for (const element of elements) {
      if (element.hidden || ranges.length > 5000) continue;
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const low = node.data.toLowerCase();
        if (low.length !== node.data.length) continue;
        for (const word of words) {
          for (let at = low.indexOf(word); at >= 0; at = low.indexOf(word, at + word.length)) {
            const range = new Range();
            range.setStart(node, at);
            range.setEnd(node, at + word.length);
            ranges.push(range);
          }
        }
      }
    }
    CSS.highlights.set("found", new Highlight(...ranges));
  };

  // lists of a site: a filter by the words of a row, and a search over the texts of all commits
  const delay = (then) => { let waiting; return () => { clearTimeout(waiting); waiting = setTimeout(then, 80); }; };
  const wordsOf = (input) => input.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const filter of all("[data-filter]")) {
    const rows = all(":scope > li", document.querySelector(filter.dataset.filter));
    filter.addEventListener("input", delay(() => {
      const words = wordsOf(filter);
      let shown = 0;
      for (const row of rows) {
        row.hidden = !words.every((word) => textOf(row).includes(word));
        shown += !row.hidden;
      }
      filter.nextElementSibling.textContent = words.length ? `${shown} of ${rows.length}` : "";
    }));
  }
  const search = document.getElementById("search");
  if (search) {
    const element = (name, text, className) => {
      const created = document.createElement(name);
      created.textContent = text;
      if (className) created.className = className;
      return created;
    };
    let data;
    const look = () => {
      data ??= (window.gitTraj ?? []).map((row) => [...row, `${row[1]}\n${row[3]}`.toLowerCase()]);
      const words = wordsOf(search);
      const matches = words.length ? data.filter((row) => words.every((word) => row[4].includes(word))) : [];
      const results = document.getElementById("results");
      results.replaceChildren(...matches.slice(0, 200).map(([commit, subject, date, text]) => {
        const row = document.createElement("li");
        const link = element("a", subject);
        link.href = `commit/${commit}.html`;
        const title = element("p", "", "title");
        title.append(link);
        const low = text.toLowerCase();
        const at = Math.max(0, Math.min(...words.map((word) => low.indexOf(word)).filter((i) => i >= 0)) - 60);
        const near = text.slice(at === Infinity ? 0 : at, (at === Infinity ? 0 : at) + 300);
        row.append(title, element("p", `${commit.slice(0, 7)} · ${date}`, "muted"), element("p", near, "said"));
        return row;
      }));
      results.hidden = !words.length;
      document.getElementById("all").hidden = Boolean(words.length);
      search.nextElementSibling.textContent = words.length ? `${matches.length} of ${data.length}` : "";
      mark([results], words);
    };
    search.addEventListener("input", delay(look));
    addEventListener("keydown", (key) => {
      if (key.key === "/" && !key.target.matches("input")) { key.preventDefault(); search.focus(); }
    });
    if (search.value) addEventListener("load", look);
  }

  if (!field || !events.length) return;

  const choose = () => {
    const words = wordsOf(field);
    const kinds = chips.filter((c) => c.getAttribute("aria-pressed") === "true").map((c) => c.dataset.show);
    const filtered = words.length || kinds.length;
    let number = 0;
    for (const event of events) {
      const kind = !kinds.length || kinds.includes(event.dataset.kind) || (kinds.includes("bad") && event.classList.contains("bad"));
      const shown = kind && words.every((word) => textOf(event).includes(word));
      event.hidden = !shown;
      number += shown;
    }
    for (const block of blocks) {
      block.hidden = Boolean(filtered) && !(words.length && words.every((word) => textOf(block).includes(word)));
    }
    for (const chapter of all(".chapter")) {
      const any = chapter.querySelector(".event:not([hidden])");
      chapter.hidden = Boolean(filtered) && !any;
      if (filtered && any) chapter.open = true;
    }
    if (words.length) {
      // an element is unfolded if only its folded part has the words
      for (const event of events) {
        const inside = !event.hidden && event.querySelector("details:not([open])");
        if (!inside) continue;
        const outside = inside.querySelector("summary").textContent.toLowerCase();
        if (!words.every((word) => outside.includes(word)) && number <= 50) inside.open = true;
      }
    }
    hits.textContent = filtered ? `${number.toLocaleString("en")} of ${events.length.toLocaleString("en")}` : "";
    mark([...blocks, ...events], words);
  };

  let waiting;
  field.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(choose, 120); });
  for (const chip of chips) {
    chip.addEventListener("click", () => {
      chip.setAttribute("aria-pressed", String(chip.getAttribute("aria-pressed") !== "true"));
      choose();
    });
  }
  fold.addEventListener("click", () => {
    const open = fold.getAttribute("aria-pressed") !== "true";
    all("main details").forEach((details) => { details.open = open; });
    fold.setAttribute("aria-pressed", String(open));
    fold.textContent = open ? "Fold all" : "Open all";
  });

  const step = (by) => {
    const shown = events.filter((event) => event.checkVisibility ? event.checkVisibility() : event.offsetParent);
    const here = document.activeElement && document.activeElement.closest(".event");
    const at = here ? shown.indexOf(here) + by : by > 0 ? 0 : shown.length - 1;
    const next = shown[Math.max(0, Math.min(shown.length - 1, at))];
    if (next) { next.querySelector("a").focus(); next.scrollIntoView({ block: "nearest" }); }
  };
  addEventListener("keydown", (key) => {
    if (key.ctrlKey || key.metaKey || key.altKey) return;
    const typing = key.target.matches("input");
    if (key.key === "/" && !typing) { key.preventDefault(); field.focus(); field.select(); }
    else if (key.key === "Escape" && typing) { field.value = ""; choose(); field.blur(); }
    else if (key.key === "Enter" && typing) { key.preventDefault(); clearTimeout(waiting); choose(); step(1); }
    else if (key.key === "j" && !typing) step(1);
    else if (key.key === "k" && !typing) step(-1);
    else if (key.key === "o" && !typing) {
      const details = document.activeElement.closest(".event")?.querySelector("details");
      if (details) details.open = !details.open;
    }
  });
})();
