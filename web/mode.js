// Sets the mode, page or overlay, before the first paint: an overlay must not flash on air.
document.documentElement.dataset.mode = new URLSearchParams(location.search).get('overlay') === '1' ? 'overlay' : 'page';
