const address = server => '127.0.0.1:' + server.port;

/** Each server with its role, and a button for each master; redrawn only if something has changed. */
function showServers(servers) {
  const shown = JSON.stringify(servers);
  if ($('#servers').dataset.shown === shown) return;
  $('#servers').dataset.shown = shown;
  $('#servers').hidden = !servers.length;
  $('#servers tbody').replaceChildren(...servers.map(server => {
    const role = server.role.toLowerCase(), state = server.state.toLowerCase();
    const made = row(address(server), role, server.part, state);
    made.dataset.role = role;
    made.dataset.state = state;
    const action = element('td', {});
    if (role === 'master' && state === 'up') action.append(failoverButton(server));
    made.insertBefore(action, made.children[2]);
    return made;
  }));
}

function failoverButton(server) {
  const button = element('button', { type: 'button', class: 'end', 'aria-label': 'Fail over ' + address(server) }, 'Fail over');
  button.addEventListener('click', async () => {
    button.disabled = true;
    const response = await fetch(`/api/servers/${server.port}/failover`, { method: 'POST' });
    button.disabled = false;
    if (!response.ok) alertUser((await response.json()).detail || response.status);
  });
  return button;
}

/** The longest time without a sale: the cost of a failover for the customers. */
function longestPause(purchases) {
  let longest = 0, to = Infinity;
  for (const p of purchases) {
    longest = Math.max(longest, p.from - to);
    to = Math.max(to === Infinity ? 0 : to, p.to);
  }
  return longest;
}
