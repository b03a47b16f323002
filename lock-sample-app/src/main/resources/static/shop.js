const colours = 4, zoomed = 20, breakMicros = 1_000_000;
const $ = (selector, root = document) => root.querySelector(selector);
const cards = [...document.querySelectorAll('[data-sale]')];
const names = new Set();

function element(name, attributes, ...content) {
  const svg = ['rect', 'line', 'text', 'title', 'path', 'defs', 'pattern', 'g'].includes(name);
  const made = svg ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  made.append(...content);
  return made;
}

const row = (...cells) => element('tr', {}, ...cells.map(cell => element('td', {}, String(cell))));
const millis = micros => (micros / 1000).toFixed(1) + ' ms';
const seconds = micros => (micros / 1e6).toFixed(1) + ' s';
const colour = instance => `var(--i${[...names].indexOf(instance) % colours})`;
const chip = (instance, ...more) => element('span', { class: 'chip' },
  element('i', { style: 'background:' + colour(instance) }), instance, ...more);

async function request(path, options) {
  const response = await fetch('/api/' + path, options);
  const body = await response.json();
  if (!response.ok) throw new Error(body.detail || body.error || response.status);
  return body;
}

function alertUser(text) {
  $('#alert').hidden = !text;
  if ($('#alert').textContent !== text) $('#alert').textContent = text;
}

/** The sales that ran while another sale ran, which a lock prevents. */
function overlapping(purchases) {
  const found = new Set();
  let last = purchases[0];
  for (const next of purchases.slice(1)) {
    if (next.from < last.to) found.add(next).add(last);
    if (next.to > last.to) last = next;
  }
  return found;
}

const till = p => p.thread.replace(/^\D*/, '');
const hint = p => `instance ${p.instance}, till ${till(p)}: waited ${millis(p.from - p.came)}, sold in ${millis(p.to - p.from)}, `
  + (p.token ? 'token ' + p.token : 'no lock');

/** A sale: the colour shows the instance; hatch and outline, which need no colour, show that another sale ran, too. */
function bar(kind, p, x, y, high, overlaps, hatch) {
  const place = { x: x(p.from), y, width: Math.max(1.5, x(p.to) - x(p.from) - .5), height: high, rx: 1.5 };
  const drawn = [element('rect', { ...place, class: kind, fill: colour(p.instance),
    'data-from': p.from, 'data-to': p.to, 'data-token': p.token }, element('title', {}, hint(p)))];
  if (overlaps.has(p)) {
    drawn[0].classList.add('overlap');
    if (place.width < 6) drawn[0].classList.add('slim');
    drawn.push(element('rect', { ...place, fill: `url(#${hatch})`, 'pointer-events': 'none' }));
  }
  return drawn;
}

function hatching(id) {
  return element('defs', {}, element('pattern',
    { id, width: 5, height: 5, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
    element('rect', { width: 1.6, height: 5, fill: 'var(--card)' })));
}

/** One lane for all, which is the lock if there is one, and below it each till: how long it waits, and when it sells. */
function drawZoom(svg, purchases, overlaps, hatch) {
  const first = purchases.slice(0, zoomed), locked = first[0].token > 0;
  const width = svg.clientWidth || 480, left = 62, top = 26, high = 26, small = 13;
  const start = first[0].from, end = Math.max(...first.map(p => p.to));
  const x = time => left + Math.max(0, time - start) / (end - start) * (width - left - 2);
  const lane = p => p.instance + ' ' + till(p).padStart(3);
  const lanes = [...new Set(first.map(lane))].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const y = i => top + high + 14 + i * small, bottom = y(lanes.length) + 16;
  svg.setAttribute('viewBox', `0 0 ${width} ${bottom}`);
  svg.setAttribute('height', bottom);
  const drawn = [hatching(hatch), element('text', { class: 'name', x: 0, y: top + 17 }, locked ? 'the lock' : 'no lock')];
  let before = null, labelled = -99;
  for (const p of first) {
    drawn.push(...bar('sale', p, x, top, high, overlaps, hatch));
    if (locked && before !== p.instance) {
      drawn.push(element('path', { class: 'turn', d: `M${x(p.from) - 4} ${top - 8}h8l-4 7z` }));
      if (x(p.from) - labelled > 34 && x(p.from) < width - 24) {
        labelled = x(p.from);
        drawn.push(element('text', { class: 'name', x: labelled - 4, y: top - 12 }, p.instance));
      }
    }
    before = p.instance;
  }
  lanes.forEach((name, i) => drawn.push(element('text', { x: 0, y: y(i) + small - 3 }, name),
    element('line', { class: 'lane', x1: left, x2: width, y1: y(i) + small / 2, y2: y(i) + small / 2 })));
  for (const p of first) {
    const at = y(lanes.indexOf(lane(p)));
    if (locked) drawn.push(element('line', { class: 'wait', stroke: colour(p.instance),
      x1: x(p.came), x2: x(p.from), y1: at + small / 2, y2: at + small / 2 }));
    drawn.push(...bar('own', p, x, at + 2, small - 4, overlaps, hatch));
  }
  drawn.push(element('text', { x: left, y: bottom - 3 }, '0'),
    element('text', { x: width, y: bottom - 3, 'text-anchor': 'end' }, millis(end - start)));
  svg.replaceChildren(...drawn);
}

/** All sales in one line, and the long times without a sale. */
function drawWhole(svg, purchases, overlaps, hatch) {
  const width = svg.clientWidth || 480, high = 22;
  const start = purchases[0].from, end = Math.max(...purchases.map(p => p.to));
  const x = time => (time - start) / (end - start) * (width - 2);
  svg.setAttribute('viewBox', `0 0 ${width} ${high + 18}`);
  svg.setAttribute('height', high + 18);
  const drawn = [hatching(hatch)];
  let to = start;
  for (const p of purchases) {
    if (p.from - to > breakMicros) {
      drawn.push(element('rect', { class: 'break', x: x(to) + 1, y: 1, width: x(p.from) - x(to) - 2, height: high - 2 }),
        element('text', { class: 'broken', x: (x(to) + x(p.from)) / 2, y: 15, 'text-anchor': 'middle' },
          `no sale for ${seconds(p.from - to)}`));
    }
    to = Math.max(to, p.to);
    drawn.push(...bar('bar', p, x, 0, high, overlaps, hatch));
  }
  drawn.push(element('text', { x: 0, y: high + 14 }, '0'),
    element('text', { x: width, y: high + 14, 'text-anchor': 'end' }, seconds(end - start)));
  svg.replaceChildren(...drawn);
}

function draw(card, all) {
  const purchases = all.filter(purchase => purchase.sold).sort((a, b) => a.from - b.from);
  $('.drawn', card).hidden = !purchases.length;
  if (!purchases.length) return;
  all.forEach(p => names.add(p.instance));
  const overlaps = overlapping(purchases), start = purchases[0].from, locked = purchases[0].token > 0;
  drawZoom($('.zoom', card), purchases, overlaps, card.dataset.sale + 'z');
  drawWhole($('.whole', card), purchases, overlaps, card.dataset.sale + 'w');
  const key = (name, text) => element('span', {}, element('i', { class: name }), text);
  $('.key', card).replaceChildren(element('span', {}, 'One bar is one sale, at instance'),
    ...[...names].filter(name => all.some(p => p.instance === name)).map(name => chip(name)),
    ...(locked ? [key('waits', 'a till waits for the lock'), element('span', {}, '▼ the lock goes to another instance')] : []),
    ...(overlaps.size ? [key('hatched', `${overlaps.size} of ${purchases.length} ran while another one did`)] : []));
  $('tbody', card).replaceChildren(...all.slice(-50).reverse().map(p => row(p.instance, till(p),
    millis(p.from - p.came), millis(p.from - start), millis(p.to - start), p.token || 'none')));
}

const people = count => count === 1 ? '1 customer' : count + ' customers';

async function show(card, report) {
  const width = card.clientWidth, state = JSON.stringify([report, width, [...names]]);
  if (!report.stock || card.dataset.shown === state) return;
  card.dataset.shown = state;
  const sum = field => report.parts.reduce((total, part) => total + part[field], 0);
  const extra = report.sold - report.stock, dead = report.parts.filter(part => part.dead && !part.finished);
  $('.result', card).replaceChildren('sold ', element('b', {}, String(report.sold)), ` of ${report.stock}`);
  $('.result', card).className = 'result ' + (extra > 0 ? 'bad' : report.over ? 'good' : '');
  const count = report.parts.length === 1 ? '1 instance' : report.parts.length + ' instances';
  $('.verdict', card).textContent = (extra > 0 ? `${extra} too many: ${people(extra)} paid for something that is not there.`
    : !report.over ? '' : extra === 0 ? `Exact, with ${people(sum('customers'))} and ${count}.` : `${-extra} left.`)
    + dead.map(part => ` ${part.instance} died with ${people(part.customers - part.served)} not served.`).join('');
  $('progress', card).max = sum('customers') || 1;
  $('progress', card).value = report.over ? $('progress', card).max : sum('served');
  card.dataset.over = report.over;
  const purchases = await request(`sales/${report.sale}/purchases`);
  draw(card, purchases);
  if (report.over && !$('#servers').hidden) {
    const sold = purchases.filter(purchase => purchase.sold).sort((a, b) => a.from - b.from);
    $('.verdict', card).append(` The longest pause between two sales: ${seconds(longestPause(sold))}.`);
  }
}

function lockRow(name, holder, redisUp) {
  const text = !redisUp ? ['unknown: Redis does not reply'] : !holder ? ['free'] : [
    'held by ', chip(holder.instance, holder.dead ? ', which died' : ''),
    ` for ${(holder.remainingMillis / 1000).toFixed(1)} s more${holder.dead ? ', then free' : ', renewed meanwhile'}; `,
    holder.waitingInstances === 1 ? '1 instance waits' : `${holder.waitingInstances} instances wait`,
    `; token …${String(holder.token).slice(-7)}`];
  const lock = element('div', { class: 'lock' }, element('code', {}, name),
    element('span', holder && holder.dead ? { class: 'bad' } : {}, ...text));
  if (holder) lock.append(element('meter', { min: 0, max: 10000, value: holder.remainingMillis, 'aria-label': 'Lease left' }));
  return lock;
}

function showState(state) {
  state.instances.map(instance => instance.name).sort().forEach(name => names.add(name));
  $('#instances').replaceChildren(...state.instances.map(instance => {
    const made = chip(instance.name, instance.name === state.instance ? ' (this one)' : instance.alive ? '' : ' (died)');
    made.classList.toggle('dead', !instance.alive);
    return made;
  }));
  showServers(state.servers);
  $('#redis').textContent = `Redis: ${state.redis}`;
  alertUser(state.redisUp ? '' : state.servers.length ? 'Redis does not reply. No instance sells until a failover is over.'
    : `Redis is gone: ${state.redis}. Without it no lock is granted, so no instance sells until it is back.`);
  const news = JSON.stringify(state.news);
  if ($('#news').dataset.shown !== news) {
    $('#news').dataset.shown = news;
    $('#news').hidden = !state.news.length;
    $('#news').replaceChildren(...state.news.map(item =>
      element('li', item.bad ? { class: 'bad' } : {}, element('time', {}, item.at), item.text)));
  }
  $('#locks').replaceChildren(...['sale', 'stock:teapot'].map(name =>
    lockRow(name, state.holders.find(holder => holder.lock === name), state.redisUp)));
  $('#busy').textContent = state.busy ? `${state.busy} tills of this instance sell or wait.` : '';
}

async function refresh() {
  try {
    const state = await request('state');
    showState(state);
    for (const report of state.sales) await show($(`[data-sale=${report.sale}]`), report);
  } catch (error) {
    alertUser(`This instance does not reply (${error.message}).`);
  }
  setTimeout(refresh, 250);
}

for (const card of cards) {
  card.append($('#body').content.cloneNode(true));
  $('button', card).addEventListener('click', async () => {
    const buttons = cards.map(each => $('button', each));
    buttons.forEach(button => button.disabled = true);
    try {
      await request('sales/' + card.dataset.sale, { method: 'POST' });
    } catch (error) {
      $('.verdict', card).textContent = error.message;
    } finally {
      buttons.forEach(button => button.disabled = false);
    }
  });
}
refresh();
