// Before anything is painted: a page of its own, or an overlay on somebody's picture? An overlay must not flash on air.
document.documentElement.dataset.mode = new URLSearchParams(location.search).get('overlay') === '1' ? 'overlay' : 'page';
