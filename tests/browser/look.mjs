// Opens pages in Chromium, executes the steps of each job, and prints what happened as JSON.
// node look.mjs FOLDER PROFILE CHROMIUM < [{url, width, scheme, axe, steps: [[what, …]]}]
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const [folder, profile, chromium] = process.argv.slice(2);
const require = createRequire(`${folder}/package.json`);
const { chromium: browser } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const context = await browser.launchPersistentContext(profile, {
  executablePath: chromium,
  headless: true,
  args: [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
  ],
});

// waitForFunction evaluates in the page, which its policy forbids
async function until(page, condition) {
  for (let tries = 0; tries < 200; tries++) {
    if (await page.evaluate(condition).catch(() => false)) return; // a page that is being left
    await page.waitForTimeout(50);
  }
  throw new Error(`never true: ${condition}`);
}

async function look(job) {
  const page = await context.newPage();
  page.setDefaultTimeout(240000); // a busy machine must not fail a test
  const result = { url: job.url, requests: [], console: [], dialogs: [], answers: [], violations: [] };
  page.on("request", (request) => result.requests.push(request.url()));
  page.on("console", (message) => result.console.push(message.text()));
  page.on("pageerror", (error) => result.console.push(error.message));
  page.on("dialog", (dialog) => { result.dialogs.push(dialog.message()); dialog.dismiss(); });
  await page.setViewportSize({ width: job.width ?? 1280, height: 900 });
  await page.emulateMedia({ colorScheme: job.scheme ?? "light" });
  await page.goto(job.url, { waitUntil: "load" });
  for (const [what, ...given] of job.steps ?? []) {
    if (what === "press") await page.keyboard.press(given[0]);
    else if (what === "type") await page.keyboard.type(given[0]);
    else if (what === "click") await page.locator(given[0]).first().click();
    else if (what === "wait") await until(page, given[0]);
    else result.answers.push(await page.evaluate(given[0]));
  }
  if (job.axe) {
    await page.evaluate(() => document.querySelectorAll("details").forEach((details) => { details.open = true; }));
    const violations = await page.evaluate(async (source) => {
      const module = { exports: {} };
      new Function("module", "exports", source)(module, module.exports);
      return (await module.exports.run({ preload: false })).violations;
    }, axe);
    result.violations = violations.map((each) => `${each.id}: ${each.nodes[0].html.slice(0, 200)}`);
  }
  await page.close();
  return result;
}

const results = [];
for (const job of JSON.parse(readFileSync(0, "utf8"))) results.push(await look(job));
await context.close();
process.stdout.write(JSON.stringify(results));
