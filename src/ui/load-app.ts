/**
 * Loads the app, and with it Ink and React. NODE_ENV must be settled before: without it React loads its development
 * build, which keeps an entry of every render for ever.
 */
export async function loadApp() {
  const { env } = process;
  env.NODE_ENV ??= 'production';
  const { mountApp } = await import('./app.tsx');
  return mountApp;
}
