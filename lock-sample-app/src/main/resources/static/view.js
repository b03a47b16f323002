const lockLines = 5, chartSeconds = 60;
const samples = [];

async function operators(path, options) {
  const response = await fetch('/actuator/locks' + path, options);
  if (!response.ok) throw new Error(response.status);
  return response.status === 204 ? null : response.json();
}

const named = name => '?name=' + encodeURIComponent(name);
const age = time => (Math.max(0, Date.now() - Date.parse(time)) / 1000).toFixed(0) + ' s';
const called = (label, id) => label || 'instance ' + id;

function showMembers(fleet) {
  const more = each => !each.answered ? ' does not reply' : each.id === fleet.instance.id ? ' (this one)' : '';
  $('#fleet tbody').replaceChildren(...fleet.instances.map(each => row(
    called(each.label, each.id) + more(each),
    each.answered ? each.held : '?', each.answered ? each.waiting : '?')));
}

/** The holder of a lock, the waiters in their order, and a button that ends the hold. */
function holdRow(name, held, line) {
  const made = element('div', { class: 'lock', 'data-lock': name }, element('code', {}, name), element('span', {},
    held ? `${called(held.label, held.instance)}, '${held.caller}', for ${age(held.since)}`
      + (held.lastRenewal ? `, renewed ${age(held.lastRenewal)} ago` : '') : 'no instance that has replied holds it'));
  if (line.length) made.append(element('ol', { class: 'line', 'aria-label': 'Waiting for ' + name },
    ...line.map(each => element('li', {}, called(each.label, each.instance)))));
  if (held) {
    const end = element('button', { type: 'button', class: 'end' }, 'Take it away');
    end.addEventListener('click', () => {
      end.blur();
      operators(named(name), { method: 'DELETE' }).catch(error => alertUser(error.message));
    });
    made.append(end);
  }
  return made;
}

async function showHolds(fleet) {
  const names = [...new Set([...fleet.held, ...fleet.waiting].map(each => each.name))].slice(0, lockLines);
  const lines = await Promise.all(names.map(name => fleet.waiting.some(each => each.name === name)
    ? operators(named(name)).then(lock => lock.waiting) : []));
  if ($('#holds').contains(document.activeElement)) return; // a button must not vanish under a user of the keyboard
  const holder = name => fleet.held.find(each => each.name === name);
  $('#holds').replaceChildren(...names.map((name, i) => holdRow(name, holder(name), lines[i])));
}

function drawWaits(fleet) {
  const now = Date.now();
  const longest = Math.max(0, ...fleet.waiting.map(each => now - Date.parse(each.since))) / 1000;
  samples.push({ now, longest });
  while (now - samples[0].now > chartSeconds * 1000) samples.shift();
  const svg = $('#waits'), width = svg.clientWidth || 480, high = 70;
  const top = Math.max(1, ...samples.map(each => each.longest));
  const x = time => width - (now - time) / 1000 / chartSeconds * width;
  const y = seconds => high - seconds / top * (high - 14);
  const point = each => `${x(each.now).toFixed(1)} ${y(each.longest).toFixed(1)}`;
  svg.setAttribute('viewBox', `0 0 ${width} ${high + 2}`);
  svg.setAttribute('height', high + 2);
  svg.replaceChildren(
    element('path', { class: 'longest', d: 'M' + samples.map(point).join('L') }),
    element('text', { x: 0, y: 10 }, top.toFixed(0) + ' s'),
    element('text', { x: width, y: 10, 'text-anchor': 'end' }, 'now ' + longest.toFixed(1) + ' s'));
}

async function look() {
  try {
    const fleet = await operators('?scope=fleet');
    showMembers(fleet);
    drawWaits(fleet);
    await showHolds(fleet);
  } catch (error) {
    $('#holds').replaceChildren(`The endpoint does not reply (${error.message}).`);
  }
  setTimeout(look, 1000);
}

for (const button of document.querySelectorAll('[data-drill]')) {
  button.addEventListener('click', () => fetch('/api/drills/' + button.dataset.drill, { method: 'POST' }));
}
look();
