(() => {
  const box = document.querySelector('.search'), field = box.querySelector('[type=search]'), count = box.querySelector('output');
  const ticks = [...box.querySelectorAll('[type=checkbox]')], open = box.querySelector('[name=open]'), clear = box.querySelector('[name=clear]');
  const cards = [...document.querySelectorAll('.card')].map(e => ({ e, words: e.textContent.toLowerCase(), tags: e.dataset.tags.split('\n') }));
  const parts = [...document.querySelectorAll('section')].filter(s => s.querySelector('.card'));
  const find = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean), groups = {};
    ticks.filter(t => t.checked).forEach(t => (groups[t.name] = groups[t.name] || []).push(t.name + ':' + t.value));
    const wanted = c => words.every(w => c.words.includes(w)) && Object.values(groups).every(g => g.some(t => c.tags.includes(t)));
    let n = 0;
    cards.forEach(c => { const keep = wanted(c); c.e.hidden = !keep; n += keep; });
    parts.forEach(s => { s.hidden = !s.querySelector('.card:not([hidden])'); });
    document.body.classList.toggle('found', n < cards.length);
    count.value = n + ' of ' + cards.length;
  };
  box.hidden = false;
  field.value = new URLSearchParams(location.search).get('q') || field.value;
  box.addEventListener('input', find);
  clear.addEventListener('click', () => { field.value = ''; ticks.forEach(t => { t.checked = false; }); find(); field.focus(); });
  open.addEventListener('click', () => document.querySelectorAll('.card:not([hidden]) details').forEach(d => { d.open = true; }));
  find();
})();
