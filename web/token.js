// The token that the page's address brings, `?token=...`, for all that the page asks the daemon for; null where it has none.

export const token = new URLSearchParams(location.search).get('token');
