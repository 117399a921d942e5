// The token of the page's address, `?token=...`, for all requests of the page; null if there is none.

export const token = new URLSearchParams(location.search).get('token');
