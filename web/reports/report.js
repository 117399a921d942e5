// Shared by the scripts of the reports: data, colours, elements and charts.
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const dark = matchMedia('(prefers-color-scheme: dark)').matches;
const style = getComputedStyle(document.body);
const colour = (name) => style.getPropertyValue(`--${name}`);  // as the page's style names it
const colours = { ink: colour('ink'), dim: colour('dim'), line: colour('line'), paper: colour('paper') };

function element(parent, name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  parent.append(made);
  return made;
}

// Returns an empty chart in `place`. It follows the size of the place, which also changes without the window, as when
// another chart is put beside it.
function chart(place) {
  const made = echarts.init(place, dark ? 'dark' : null, { renderer: 'svg' });
  made.setOption({ backgroundColor: 'transparent', animation: false, aria: { enabled: true } });
  new ResizeObserver(() => made.resize()).observe(place);
  return made;
}
