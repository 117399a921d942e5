// Shared by the scripts of the reports: data, colours, elements and charts.
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const dark = matchMedia('(prefers-color-scheme: dark)').matches;
const style = getComputedStyle(document.body);
const colour = (name) => style.getPropertyValue(`--${name}`);  // as the page's style names it
const colours = { ink: colour('ink'), dim: colour('dim'), line: colour('line'), paper: colour('paper') };
const charts = [];

function element(parent, name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  parent.append(made);
  return made;
}

// Returns an empty chart in `place`, which follows the size of the place.
function chart(place) {
  const made = echarts.init(place, dark ? 'dark' : null, { renderer: 'svg' });
  made.setOption({ backgroundColor: 'transparent', animation: false, aria: { enabled: true } });
  charts.push(made);
  return made;
}

addEventListener('resize', () => charts.forEach((one) => one.resize()));
