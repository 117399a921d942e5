// Service worker that answers requests for addresses of local_file.js with parts of the page's file.

const ADDRESS = /\/player\/file\/\d+$/u;

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  if (ADDRESS.test(new URL(event.request.url).pathname)) event.respondWith(answer(event));
});

// Gets the file from the page, which keeps it, because the browser may end a worker at any time.
async function ask(page) {
  const { port1, port2 } = new MessageChannel();
  const file = new Promise((resolve) => {
    port1.onmessage = ({ data }) => resolve(data);
  });
  page.postMessage('file', [port2]);
  return file;
}

async function answer({ request, clientId }) {
  const page = await self.clients.get(clientId);
  const file = page && (await ask(page));
  if (!file) return new Response('', { status: 404 });
  const range = /^bytes=(\d+)-(\d*)$/u.exec(request.headers.get('Range') ?? '');
  const start = range ? Number(range[1]) : 0;
  const end = range?.[2] ? Math.min(Number(range[2]) + 1, file.size) : file.size;
  if (start >= end) return new Response('', { status: 416, headers: { 'Content-Range': `bytes */${file.size}` } });
  const headers = { 'Content-Type': file.type || 'video/mp4', 'Content-Length': end - start, 'Accept-Ranges': 'bytes' };
  if (range) headers['Content-Range'] = `bytes ${start}-${end - 1}/${file.size}`;
  return new Response(file.slice(start, end), { status: range ? 206 : 200, headers });
}
