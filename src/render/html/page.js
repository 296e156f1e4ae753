// What the page can do beside being read: sort tables, filter them, and zoom the swimlanes. All figures stand in the page without it.
'use strict';

// The number behind a cell's text, in one unit for each kind: nanoseconds, bytes, percent. Text without a number sorts last.
const UNITS = { ps: 1e-3, ns: 1, 'µs': 1e3, ms: 1e6, s: 1e9, min: 6e10, h: 3.6e12, KiB: 1024, MiB: 1048576, GiB: 1073741824, TiB: 1099511627776 };

function value(cell) {
  const text = cell.textContent.trim();
  if (text.includes(' / ')) { return null; }
  const found = /^(?:at least |at most )?[<>]?(-?[\d,]+(?:\.\d+)?)\s*([A-Za-zµ%]+)?/.exec(text);
  if (!found) { return null; }
  return Number(found[1].replaceAll(',', '')) * (UNITS[found[2]] ?? 1);
}

function compare(a, b, falling) {
  const [x, y] = [value(a), value(b)];
  if (x === null || y === null) {
    if (x !== null || y !== null) { return x === null ? 1 : -1; }
    const order = a.textContent.localeCompare(b.textContent, 'en');
    return falling ? -order : order;
  }
  return falling ? y - x : x - y;
}

function sortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const first = head.classList.contains('n') ? 'descending' : 'ascending';
      const other = first === 'descending' ? 'ascending' : 'descending';
      const order = head.getAttribute('aria-sort') === first ? other : first;
      heads.forEach((one) => one.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', order);
      const body = table.tBodies[0];
      const rows = [...body.rows];
      rows.sort((a, b) => compare(a.cells[column], b.cells[column], order === 'descending'));
      body.append(...rows);
    });
  });
}

function filterable(table) {
  const tools = document.createElement('div');
  const label = document.createElement('label');
  const input = document.createElement('input');
  const count = document.createElement('span');
  tools.className = 'tools';
  input.type = 'search';
  label.append('filter ', input);
  count.setAttribute('aria-live', 'polite');
  tools.append(label, count);
  table.parentElement.before(tools);
  input.addEventListener('input', () => {
    const wanted = input.value.toLowerCase();
    const rows = [...table.tBodies[0].rows];
    rows.forEach((row) => { row.hidden = !row.textContent.toLowerCase().includes(wanted); });
    const shown = rows.filter((row) => !row.hidden).length;
    count.textContent = wanted === '' ? '' : `${shown} of ${rows.length} rows`;
  });
}

// A time for the axis, from picoseconds.
function time(ps, step) {
  const unit = [['s', 1e12], ['ms', 1e9], ['µs', 1e6], ['ns', 1e3], ['ps', 1]].find(([, size]) => ps >= size) ?? ['ps', 1];
  const digits = Math.max(0, Math.ceil(-Math.log10(step / unit[1]) - 1e-9));
  return ps === 0 ? '0' : `${(ps / unit[1]).toFixed(Math.min(digits, 6))} ${unit[0]}`;
}

function zoomable(figure) {
  const drawing = figure.querySelector('.sl-drawing');
  const plot = figure.querySelector('.sl-plot');
  const axis = figure.querySelector('.sl-axis');
  const grid = figure.querySelector('.sl-grid');
  const total = Number(figure.dataset.total);
  const [, , width, height] = plot.getAttribute('viewBox').split(' ').map(Number);
  const [left, shown] = [Number(plot.getAttribute('x')), Number(plot.getAttribute('width'))];
  const least = width / 500;
  let [from, span] = [0, width];

  function draw() {
    span = Math.min(width, Math.max(least, span));
    from = Math.min(width - span, Math.max(0, from));
    plot.setAttribute('viewBox', `${from} 0 ${span} ${height}`);
    const ps = (total * span) / width;
    const decade = 10 ** Math.floor(Math.log10(ps / 8));
    const step = [1, 2, 5, 10].map((n) => n * decade).find((one) => ps / one < 9) ?? ps;
    let lines = '';
    axis.replaceChildren();
    for (let n = Math.ceil((total * from) / width / step); n * step <= (total * (from + span)) / width; n += 1) {
      const x = (n * step * width) / total;
      const text = document.createElementNS(axis.namespaceURI, 'text');
      text.setAttribute('x', String(left + ((x - from) / span) * shown));
      text.setAttribute('y', '14');
      text.textContent = time(n * step, step);
      axis.append(text);
      lines += `M${x} 0v${height}`;
    }
    grid.setAttribute('d', lines);
    state.textContent = span === width ? '' : `${(width / span).toFixed(1)} × zoomed`;
  }

  function zoom(factor, at = 0.5) {
    const middle = from + span * at;
    const next = Math.min(width, Math.max(least, span / factor));
    [from, span] = [middle - next * at, next];
    draw();
  }

  function pan(part) { from += span * part; draw(); }
  function reset() { [from, span] = [0, width]; draw(); }

  const tools = document.createElement('div');
  tools.className = 'tools';
  const state = document.createElement('span');
  state.setAttribute('aria-live', 'polite');
  const actions = [['zoom in', () => zoom(2)], ['zoom out', () => zoom(0.5)], ['earlier', () => pan(-0.25)], ['later', () => pan(0.25)], ['all', reset]];
  for (const [name, act] of actions) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = name;
    button.addEventListener('click', act);
    tools.append(button);
  }
  tools.append('or + − ← → 0 in the drawing, drag, Ctrl and wheel', state);
  figure.prepend(tools);

  const keys = { '+': () => zoom(2), '=': () => zoom(2), '-': () => zoom(0.5), ArrowLeft: () => pan(-0.25), ArrowRight: () => pan(0.25), 0: reset, Home: reset };
  const area = figure.querySelector('.scroll');
  area.addEventListener('keydown', (event) => {
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) { return; }
    event.preventDefault();
    act();
  });

  // Where the pointer is in the plot, from 0 to 1.
  function place(event) {
    const box = drawing.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * drawing.viewBox.baseVal.width;
    return Math.min(1, Math.max(0, (x - left) / shown));
  }
  area.addEventListener('wheel', (event) => {
    if (!event.ctrlKey) { return; }
    event.preventDefault();
    zoom(event.deltaY > 0 ? 0.8 : 1.25, place(event));
  }, { passive: false });
  let held = null;
  drawing.addEventListener('pointerdown', (event) => { held = { at: place(event), from }; });
  addEventListener('pointermove', (event) => {
    if (held === null || span === width) { return; }
    from = held.from + (held.at - place(event)) * span;
    draw();
  });
  addEventListener('pointerup', () => { held = null; });
  drawing.addEventListener('dblclick', (event) => zoom(2, place(event)));
  drawing.classList.add('live');
  figure.zoomed = () => ({ from, span, width });
}

for (const table of document.querySelectorAll('main table')) {
  const rows = table.tBodies[0].rows.length;
  if (table.matches('.ranges, .claims')) { continue; }
  if (rows > 1) { sortable(table); }
  if (rows > 10) { filterable(table); }
}
document.querySelectorAll('.sl-figure').forEach(zoomable);
// What is folded is printed all the same, and opens for a link that leads into it.
addEventListener('beforeprint', () => document.querySelectorAll('details').forEach((one) => { one.open = true; }));
function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let one = target; one; one = one.parentElement) {
    if (one.localName === 'details') { one.open = true; }
  }
  target?.scrollIntoView();
}
addEventListener('hashchange', reveal);
if (location.hash !== '') { reveal(); }
