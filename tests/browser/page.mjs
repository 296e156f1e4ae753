// Opens pages of `--report html` in a browser and says what it saw, one JSON object a page. Talks to the browser through a pipe, so
// that it needs no package: node page.mjs BROWSER FOLDER PAGE...
// FOLDER takes screenshots in both themes and at the width of a phone.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [browser, folder, ...pages] = process.argv.slice(2);
const profile = mkdtempSync(join(tmpdir(), 'idleproof-browser-'));
const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--disable-default-apps', '--hide-scrollbars', `--user-data-dir=${profile}`,
  '--remote-debugging-pipe'];
const child = spawn(browser, flags, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
const [out, back] = [child.stdio[3], child.stdio[4]];

let last = 0;
let rest = '';
const waiting = new Map();
const listeners = [];
back.on('data', (bytes) => {
  rest += bytes.toString('utf8');
  const messages = rest.split('\0');
  rest = messages.pop();
  for (const message of messages.map((text) => JSON.parse(text))) {
    const one = waiting.get(message.id);
    if (one) {
      waiting.delete(message.id);
      if (message.error) { one.reject(new Error(message.error.message)); } else { one.resolve(message.result); }
    } else {
      listeners.forEach((listen) => listen(message));
    }
  }
});

function send(method, params = {}, sessionId = undefined) {
  last += 1;
  const id = last;
  out.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

// What the page itself says, in the page.
function inspect() {
  const numeric = [...document.querySelectorAll('th.n button')].find((one) => one.closest('table').tBodies[0].rows.length > 2);
  const column = () => {
    const table = numeric.closest('table');
    const place = numeric.closest('th').cellIndex;
    return [...table.tBodies[0].rows].map((row) => row.cells[place].textContent).join('|');
  };
  const sorted = [];
  if (numeric) {
    for (let click = 0; click < 2; click += 1) {
      numeric.click();
      sorted.push([numeric.closest('th').getAttribute('aria-sort'), column()]);
    }
  }
  const filter = document.querySelector('.tools input');
  let filtered = null;
  if (filter) {
    const rows = [...filter.closest('.tools').nextElementSibling.querySelectorAll('tbody tr')];
    filter.value = 'no row has this text';
    filter.dispatchEvent(new Event('input'));
    filtered = rows.every((row) => row.hidden);
    filter.value = '';
    filter.dispatchEvent(new Event('input'));
    filtered = filtered && rows.every((row) => !row.hidden);
  }
  const foreign = [...document.querySelectorAll('body *')].map((one) => one.localName);
  const known = new Set(['header', 'a', 'h1', 'h2', 'h3', 'h4', 'p', 'span', 'code', 'main', 'nav', 'div', 'table', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'abbr',
    'td', 'section', 'article', 'dl', 'dt', 'dd', 'ul', 'li', 'strong', 'em', 'aside', 'figure', 'figcaption', 'svg', 'g', 'rect', 'path',
    'text', 'title', 'details', 'summary', 'pre', 'footer', 'script', 'button', 'input', 'label']);
  return {
    sorted, filtered,
    foreign: [...new Set(foreign.filter((name) => !known.has(name)))],
    scripts: document.scripts.length,
    lanes: document.querySelectorAll('.sl-plot > g').length,
    bars: document.querySelectorAll('.sl-plot rect:not(.sl-bg)').length,
    hacked: typeof globalThis.hacked !== 'undefined',
  };
}

const box = () => document.querySelector('.sl-plot')?.getAttribute('viewBox') ?? null;
const overflow = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;

async function look(page) {
  const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const call = (method, params) => send(method, params, sessionId);
  const seen = { page: basename(page), errors: [], requests: [], unreached: [] };
  let loaded = () => {};
  const url = pathToFileURL(page).href;
  const listen = ({ method, params, sessionId: from }) => {
    if (from !== sessionId) { return; }
    if (method === 'Page.loadEventFired') { loaded(); }
    if (method === 'Network.requestWillBeSent' && params.request.url !== url) { seen.requests.push(params.request.url.slice(0, 200)); }
    if (method === 'Runtime.exceptionThrown') { seen.errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text); }
    if (method === 'Runtime.consoleAPICalled') { seen.errors.push(`console.${params.type}`); }
    if (method === 'Log.entryAdded') { seen.errors.push(params.entry.text); }
  };
  listeners.push(listen);
  await Promise.all(['Page', 'Runtime', 'Network', 'Log'].map((domain) => call(`${domain}.enable`)));
  const size = (width, height) => call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
  const theme = (value) => call('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value }] });
  const evaluate = async (work) => (await call('Runtime.evaluate', { expression: `(${work})()`, returnByValue: true })).result.value;
  await size(1400, 900);
  const done = new Promise((resolve) => { loaded = resolve; });
  await call('Page.navigate', { url });
  await done;

  const height = Math.min(6000, await evaluate(() => document.documentElement.scrollHeight));
  const shoot = async (name, width) => {
    const shot = await call('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true, clip: { x: 0, y: 0, width, height, scale: 1 } });
    writeFileSync(join(folder, `${basename(page, '.html')}.${name}.png`), Buffer.from(shot.data, 'base64'));
  };
  for (const value of ['light', 'dark']) {
    await theme(value);
    seen[value] = await evaluate(() => getComputedStyle(document.body).backgroundColor);
    await shoot(value, 1400);
  }
  await theme('light');
  seen.overflow = {};
  for (const width of [1600, 500, 360]) {
    await size(width, 800);
    seen.overflow[width] = await evaluate(overflow);
    if (width === 360) { await shoot('narrow', 360); }
  }
  // A sheet of Letter between its margins, at 96 dots an inch: what is wider would shrink all of the page.
  await size(726, 900);
  await call('Emulation.setEmulatedMedia', { media: 'print' });
  seen.overflow.print = await evaluate(overflow);
  await call('Emulation.setEmulatedMedia', { media: '' });
  await theme('light');
  await size(1400, 900);
  Object.assign(seen, await evaluate(inspect));

  // The keyboard alone: into the drawing, nearer, later, back.
  seen.zoom = [await evaluate(box)];
  if (seen.zoom[0] !== null) {
    await evaluate(() => document.querySelector('.sl-figure .scroll').focus());
    for (const [key, code] of [['+', 187], ['ArrowRight', 39], ['0', 48]]) {
      await call('Input.dispatchKeyEvent', { type: 'keyDown', key, windowsVirtualKeyCode: code, text: key.length === 1 ? key : undefined });
      await call('Input.dispatchKeyEvent', { type: 'keyUp', key, windowsVirtualKeyCode: code });
      seen.zoom.push(await evaluate(box));
    }
  }
  listeners.splice(listeners.indexOf(listen), 1);
  await send('Target.closeTarget', { targetId });
  return seen;
}

const tooLong = setTimeout(() => { child.kill('SIGKILL'); console.error('the browser took too long'); process.exit(1); }, 110000);
child.on('error', (error) => { console.error(`can't start ${browser}: ${error.message}`); process.exit(1); });
let failed = false;
try {
  for (const page of pages) {
    console.log(JSON.stringify(await look(page)));
  }
} catch (error) {
  failed = true;
  console.error(error.stack);
}
clearTimeout(tooLong);
const gone = new Promise((resolve) => { child.on('exit', resolve); });
await send('Browser.close').catch(() => {});
await Promise.race([gone, new Promise((resolve) => { setTimeout(resolve, 3000); })]);
child.kill('SIGKILL');
rmSync(profile, { recursive: true, force: true, maxRetries: 3 });
process.exit(failed ? 1 : 0);
