"use strict";
(() => {
  const held = document.getElementById("data");
  const data = held ? JSON.parse(held.textContent) : null;
  const make = (name, text, kind) => {
    const node = document.createElement(name);
    if (text !== undefined && text !== null) node.textContent = text;
    if (kind) node.className = kind;
    return node;
  };
  const row = (cells) => {
    const line = make("tr");
    for (const cell of cells) line.append(cell instanceof Node ? cell : make("td", cell));
    return line;
  };
  const box = (table) => {
    const around = make("div", null, "scroll");
    around.tabIndex = 0;
    around.append(table);
    return around;
  };
  const heads = (names) => {
    const head = make("thead"), line = make("tr");
    for (const name of names) {
      const th = make("th", name.replace(/^#/, ""), name.startsWith("#") ? "n" : "");
      th.scope = "col";
      line.append(th);
    }
    head.append(line);
    return head;
  };

  // Tables: rows are moved, never built again; what has no value stays at the end either way.
  const key = (line, place) => {
    const cell = line.cells[place];
    if (!cell) return null;
    if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
    const text = cell.textContent.trim();
    return text === "" || text === "–" || text === "·" ? null : text;
  };
  const compare = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b), undefined, { numeric: true });
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("th button");
    if (!button) return;
    const th = button.closest("th"), table = th.closest("table"), body = table.tBodies[0];
    const number = th.classList.contains("n") && th.cellIndex > 0;
    const before = th.getAttribute("aria-sort");
    const down = before ? before === "ascending" : number;
    for (const other of th.parentNode.cells) other.removeAttribute("aria-sort");
    th.setAttribute("aria-sort", down ? "descending" : "ascending");
    const lines = [...body.rows].map((line) => [key(line, th.cellIndex), line]);
    lines.sort(([a], [b]) => {
      if (a === null || b === null) return (a === null) - (b === null);
      return down ? compare(b, a) : compare(a, b);
    });
    body.append(...lines.map(([, line]) => line));
  });

  const reveal = () => {
    const question = /^#q\d+$/.test(location.hash) && document.querySelector(location.hash);
    if (question) open(question);
  };
  const open = (question, set) => {
    question.hidden = false;
    question.open = true;
    if (set !== undefined) question.dataset.set = set;
    fill(question);
    question.scrollIntoView({ block: "start" });
  };
  if (!data) return;
  for (const controls of document.querySelectorAll(".controls")) controls.hidden = false;

  // Answers: unpacked when a question is opened.
  let packed = null;
  const unpack = async (place) => {
    packed = packed || JSON.parse(document.getElementById("answers").textContent);
    const bytes = Uint8Array.from(atob(packed[place]), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  };
  const fill = async (question) => {
    const into = question.querySelector(".answer");
    if (!into.dataset.filled) {
      into.dataset.filled = "yes";
      if (typeof DecompressionStream === "undefined") {
        into.append(make("p", "This browser is too old to unpack the answers."));
        return;
      }
      show(into, await unpack(Number(question.dataset.q)));
    }
    pick(question);
  };
  const pick = (question) => {
    const set = question.dataset.set;
    for (const line of question.querySelectorAll("tr[data-sets]")) {
      line.classList.toggle("picked", set !== undefined && line.dataset.sets.split(" ").includes(set));
    }
  };
  const ranges = (places) => {
    const parts = [];
    for (let i = 0; i < places.length; i += 1) {
      let j = i;
      while (places[j + 1] === places[j] + 1) j += 1;
      parts.push(j - i < 2 ? places.slice(i, j + 1).map((p) => p + 1).join(", ") : `${places[i] + 1}–${places[j] + 1}`);
      i = j;
    }
    return parts.join(", ");
  };
  const documents = (places, found) => {
    const cell = make("td", null, "docs");
    places.forEach((place, rank) => {
      const gold = found.r.includes(place);
      cell.append(make("span", `${rank + 1}. ${gold ? "★ " : ""}${found.t[place]}`, gold ? "gold" : ""));
      cell.append(rank + 1 < places.length ? ", " : "");
    });
    if (!places.length) cell.append("nothing");
    return cell;
  };
  const show = (into, found) => {
    const names = found.r.map((place) => found.t[place]);
    const relevant = make("p", "Relevant: ");
    relevant.append(make("span", names.length ? `★ ${names.join(", ★ ")}` : "none, the corpus doesn't answer this", "gold"));
    into.append(relevant);
    const table = make("table"), body = make("tbody");
    table.append(heads(["sets", "first relevant", ...data.measures.map((m) => `#${m}`), "retrieved", ""]), body);
    const groups = found.a.map((answer, place) => ({
      answer,
      sets: found.s.flatMap(([a], set) => (a === place ? [set] : [])),
    }));
    const value = (group) => Number.parseFloat(group.answer[1][0]) || 0;
    groups.sort((a, b) => value(b) - value(a) || (a.answer[0] || 1e9) - (b.answer[0] || 1e9) || a.sets[0] - b.sets[0]);
    for (const { answer: [rank, values, docs], sets } of groups) {
      const who = make("td", ranges(sets));
      who.title = sets.map((set) => data.sets[set]).join("\n");
      const action = make("td");
      const line = row([
        who,
        rank < 0 ? "missing" : rank ? `rank ${rank}` : "not found",
        ...values.map((text) => make("td", text, "n")),
        documents(docs, found),
        action,
      ]);
      line.dataset.sets = sets.join(" ");
      body.append(line);
      const proven = sets.filter((set) => found.s[set][1] >= 0);
      if (proven.length) {
        const button = make("button", "why");
        button.type = "button";
        button.setAttribute("aria-expanded", "false");
        button.addEventListener("click", () => why(button, line, found, proven));
        action.append(button);
      }
    }
    into.append(box(table));
    into.append(make("p", "Set numbers are those of the table; hold the pointer on them for names."));
  };
  const why = (button, line, found, sets) => {
    const below = line.nextElementSibling;
    if (below && below.classList.contains("why")) {
      below.remove();
      button.setAttribute("aria-expanded", "false");
      return;
    }
    button.setAttribute("aria-expanded", "true");
    const cell = make("td");
    cell.colSpan = line.cells.length;
    const wanted = Number(line.closest("details").dataset.set);
    const choice = make("select");
    choice.setAttribute("aria-label", "set");
    for (const set of sets) {
      const option = make("option", `set ${set + 1}: ${data.sets[set]}`);
      option.value = set;
      option.selected = set === wanted;
      choice.append(option);
    }
    const place = make("div");
    const draw = () => place.replaceChildren(evidence(found, Number(choice.value)));
    choice.addEventListener("change", draw);
    cell.append(choice, place);
    draw();
    const added = row([cell]);
    added.className = "why";
    line.after(added);
  };
  const evidence = (found, set) => {
    const hits = found.e[found.s[set][1]];
    const routes = [...new Set(hits.flatMap((hit) => hit[4].map((p) => p[0])))];
    const shared = hits.some((hit) => hit[4].some((p) => p[3] !== null));
    const before = hits.some((hit) => hit[3] !== null);
    const names = routes.flatMap((route) => {
      const name = found.t[route];
      return [`#${name} rank`, `#${name} score`, ...(shared ? [`#${name} gives`] : [])];
    });
    const table = make("table"), body = make("tbody");
    table.append(heads(["#rank", "document", "chunk", ...names, ...(before ? ["#before reranking"] : []), "#score"]), body);
    hits.forEach(([chunk, doc, score, pool, places], rank) => {
      const gold = found.r.includes(doc);
      body.append(row([
        make("td", rank + 1, "n"),
        make("td", `${gold ? "★ " : ""}${found.t[doc]}`, gold ? "gold" : ""),
        found.t[chunk],
        ...routes.flatMap((route) => {
          const at = places.find((p) => p[0] === route);
          const texts = at ? [at[1], at[2], ...(shared ? [at[3]] : [])] : ["·", "·", ...(shared ? ["·"] : [])];
          return texts.map((text) => make("td", text, "n"));
        }),
        ...(before ? [make("td", pool, "n")] : []),
        make("td", score, "n"),
      ]));
    });
    const all = make("div");
    all.append(box(table));
    if (data.runs[set]) {
      const again = make("p");
      again.append(make("code", `harness reproduce ${data.runs[set]}`));
      all.append(again);
    }
    return all;
  };
  document.addEventListener("toggle", (event) => {
    if (event.target.matches("details.q") && event.target.open) fill(event.target);
  }, true);
  addEventListener("hashchange", reveal);
  reveal();

  // On paper nothing can be opened: what is folded is printed, the answers to all questions are not.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("#effects details:not([open]), #again details:not([open])")];
    for (const part of folded) part.open = true;
  });
  addEventListener("afterprint", () => {
    for (const part of folded) part.open = false;
  });

  const filter = document.getElementById("filter");
  filter.addEventListener("input", () => {
    const wanted = filter.value.toLowerCase();
    for (const question of document.querySelectorAll("details.q")) {
      question.hidden = !question.firstElementChild.textContent.toLowerCase().includes(wanted);
    }
  });

  // The map: a canvas, because two hundred sets times three hundred questions are sixty thousand cells.
  const canvas = document.getElementById("map");
  if (!canvas || !data.cells.length) return;
  const sets = data.sets.length, questions = data.queries.length;
  const cellOf = (q, s) => data.cells[q].slice(2 * s, 2 * s + 2);
  const values = data.cells.map((_, q) => Array.from({ length: sets }, (_, s) => {
    const text = cellOf(q, s);
    return text === "zz" ? null : Number.parseInt(text, 36) / 1000;
  }));
  const scored = values.map((line, q) => [line, q]).filter(([line]) => line.some((v) => v !== null)).map(([, q]) => q);
  const mean = values.map((line) => line.reduce((sum, v) => sum + (v || 0), 0) / sets);
  const kindOf = (q) => (Math.max(...values[q]) === 0 ? "none" : Math.min(...values[q]) === Math.max(...values[q]) ? "alike" : "differ");
  const titles = { none: "solved by none", differ: "sets differ", alike: "the same under all sets" };
  const all = [...values.keys()].filter((q) => scored.includes(q));
  const hardest = [...all].sort((a, b) => mean[a] - mean[b] || a - b);
  const orders = {
    hard: () => ["none", "differ", "alike"].map((kind) => [titles[kind], hardest.filter((q) => kindOf(q) === kind)]),
    tag: () => {
      const groups = data.tags.map((tag, t) => [tag, hardest.filter((q) => data.tagged[q].includes(t))]);
      return [...groups, ["without a tag", hardest.filter((q) => !data.tagged[q].length)]];
    },
    file: () => [["", all]],
  };
  const columnsOf = {
    grid: () => [...data.sets.keys()],
    mean: () => [...data.sets.keys()].sort((a, b) => data.means[b] - data.means[a] || a - b),
  };
  const rowsChoice = document.getElementById("rows"), columnsChoice = document.getElementById("columns");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let layout = null;
  const mix = (a, b, share) => `rgb(${a.map((from, i) => Math.round(from + (b[i] - from) * share)).join(",")})`;
  const draw = (printed) => {
    const night = dark.matches && printed !== true;
    const [low, high] = night ? [[38, 43, 49], [125, 180, 240]] : [[240, 238, 232], [24, 80, 150]];
    const ink = night ? "#9aa3aa" : "#5f676e";
    const tall = scored.length <= 70 ? 16 : scored.length <= 160 ? 11 : 6;
    const named = tall > 8;
    const context = canvas.getContext("2d");
    const font = `${Math.min(tall - 2, 11)}px system-ui, sans-serif`;
    context.font = font;
    const left = named ? Math.min(190, 10 + Math.max(...scored.map((q) => context.measureText(data.queries[q]).width))) : 4;
    const room = Math.max(260, canvas.parentNode.clientWidth - 18 - left);
    const wide = Math.max(4, Math.min(44, Math.floor(room / sets)));
    const groups = orders[rowsChoice.value]().filter(([, list]) => list.length);
    const columns = columnsOf[columnsChoice.value]();
    const height = groups.reduce((sum, [title, list]) => sum + list.length * tall + (title ? 22 : 0), 0) + 16;
    const width = left + wide * sets + 2;
    const sharp = Math.min(window.devicePixelRatio || 1, 2);
    canvas.width = width * sharp;
    canvas.height = height * sharp;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    context.scale(sharp, sharp);
    context.textBaseline = "middle";
    const lines = [];
    let y = 14;
    context.fillStyle = ink;
    context.font = "10px system-ui, sans-serif";
    context.textAlign = "center";
    const every = Math.ceil(22 / wide);
    columns.forEach((s, i) => {
      if (i % every === 0) context.fillText(s + 1, left + (i + 0.5) * wide, 6);
    });
    for (const [title, list] of groups) {
      if (title) {
        context.textAlign = "left";
        context.fillStyle = ink;
        context.font = "italic 11px system-ui, sans-serif";
        context.fillText(`${title} (${list.length})`, named ? left : 0, y + 12);
        y += 22;
      }
      for (const q of list) {
        if (named) {
          context.textAlign = "right";
          context.fillStyle = ink;
          context.font = font;
          context.save();
          context.beginPath();
          context.rect(0, y, left - 4, tall);
          context.clip();
          context.fillText(data.queries[q], left - 6, y + tall / 2);
          context.restore();
        }
        columns.forEach((s, i) => {
          const value = values[q][s];
          context.fillStyle = value === null ? ink : mix(low, high, value);
          context.fillRect(left + i * wide, y, wide - (wide > 6 ? 1 : 0), tall - (tall > 4 ? 1 : 0));
        });
        lines.push([y, q]);
        y += tall;
      }
    }
    layout = { left, wide, tall, lines, columns };
    const scale = document.querySelector(".scale i");
    if (scale) scale.style.background = `linear-gradient(to right, ${mix(low, high, 0)}, ${mix(low, high, 1)})`;
  };
  const at = (event) => {
    const area = canvas.getBoundingClientRect();
    const x = event.clientX - area.left, y = event.clientY - area.top;
    const line = layout.lines.find(([top]) => y >= top && y < top + layout.tall);
    const column = Math.floor((x - layout.left) / layout.wide);
    if (!line || column >= sets) return null;
    return { q: line[1], s: column < 0 ? undefined : layout.columns[column] };
  };
  const hover = document.getElementById("hover");
  const text = (q) => document.querySelector(`#q${q} bdi`).textContent;
  canvas.addEventListener("mousemove", (event) => {
    const place = at(event);
    hover.textContent = "\u00a0";
    if (!place) return;
    const told = place.s === undefined ? "" : ` · set ${place.s + 1} (${data.sets[place.s]}): ${values[place.q][place.s] ?? "–"}`;
    hover.textContent = `${data.queries[place.q]} ${text(place.q)}${told}`;
  });
  canvas.addEventListener("click", (event) => {
    const place = at(event);
    if (place) open(document.getElementById(`q${place.q}`), place.s);
  });
  rowsChoice.addEventListener("change", draw);
  columnsChoice.addEventListener("change", draw);
  dark.addEventListener("change", draw);
  addEventListener("beforeprint", () => draw(true));
  addEventListener("afterprint", draw);
  let waiting = 0;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(draw, 100);
  });
  draw();
})();
