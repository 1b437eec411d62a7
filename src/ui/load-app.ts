/**
 * Loads the app, and with it Ink and React. Two things must be settled before Ink is evaluated: without NODE_ENV React loads its
 * development build, which keeps an entry of every render for ever; and with CI in the environment Ink draws nothing until
 * the end, although somebody sits at this terminal.
 */
export async function loadApp() {
  const { env } = process;
  env.NODE_ENV ??= 'production';
  const hidden = ['CI', 'CONTINUOUS_INTEGRATION'].flatMap((name) => {
    const value = env[name];
    delete env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  try {
    const { mountApp } = await import('./app.tsx');
    return mountApp;
  } finally {
    for (const [name, value] of hidden) env[name] = value;
  }
}
