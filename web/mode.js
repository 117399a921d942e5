// Sets the mode, page or overlay, and the system's theme before the first paint: an overlay must not flash on air, nor a
// page in a dark hall.
{
  const { dataset } = document.documentElement;
  dataset.mode = new URLSearchParams(location.search).get('overlay') === '1' ? 'overlay' : 'page';
  const light = dataset.mode === 'page' && matchMedia('(prefers-color-scheme: light)').matches;
  dataset.theme = light ? 'light' : 'dark';
}
