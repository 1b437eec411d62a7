import { Command, CommanderError, Option } from 'commander';
import { CLASSES } from '../diagnosis/finding.ts';
import { UsageError } from '../util/usage-error.ts';
import { connectionOptions } from './connection.ts';
import { EXIT } from './exit-codes.ts';
import {
  burst,
  cacheSize,
  duration,
  featureGates,
  findingClasses,
  intervalOrOff,
  knownRv,
  MAX_REPLICAS,
  rawPath,
  repeated,
  speed,
  startRv,
  wholeNumber,
} from './options.ts';

/** Set by the bundler from package.json. */
declare const KWATCH_VERSION: string;

/** Resources that tail may watch at once: each is a connection of its own (be a good guest). */
const MAX_TARGETS = 32;

/** Columns of what is added to a help text. */
const HELP_WIDTH = 80;

/** Every command leaves its exit code here; nothing calls process.exit before its output has been written. */
function finish(code: number): void {
  process.exitCode = code;
}

function outputFlags(command: Command): Command {
  return command
    .addOption(
      new Option('-o, --output <format>', 'tui on a terminal, line in a pipe').choices(['tui', 'line', 'json']),
    )
    .addOption(new Option('--color <when>', 'colours').choices(['auto', 'always', 'never']).default('auto'));
}

function tailCommand(): Command {
  const command = connectionOptions(new Command('tail'))
    .description('live stream of watch events, with every 410, disconnect and timeout explained')
    .argument('[resource...]', 'pods, deployments.apps, pods/web-0, pods,configmaps')
    .option('--raw <path?query>', 'watch exactly this path (repeatable)', rawPath)
    .option('-n, --namespace <name>', 'namespace, instead of the context’s')
    .option('-A, --all-namespaces', 'all namespaces')
    .option('-l, --selector <labels>', 'label selector')
    .option('--field-selector <fields>', 'field selector')
    .option(
      '--rv <start>',
      'where to start: list, now, unset, 0 or N (default: list; with --raw the URL decides)',
      startRv,
    )
    .option('--pin-query', 'reopen with exactly the same query each time, do not resume')
    .option('--http2', 'HTTP/2: by ALPN over https, by prior knowledge over plain http')
    .option('--for <duration>', 'stop after so long, counted from the first request', duration)
    .option('--once', 'do not reconnect: exit 1 unless the stream came to its planned end')
    .option(
      '--exit-on <class>',
      'stop with exit 1 at a finding of this class (repeatable, or with commas)',
      findingClasses,
    )
    .option('--no-probe', 'send nothing but the LIST and WATCH requests themselves')
    .option('--control', 'watch node leases beside it: tells a dead stream from a dead path within 15 s')
    .option('--object', 'put the whole object into event records (-o json)')
    .option('--read-stall <duration>', 'leave the socket unread for so long: plays a slow consumer', duration)
    .option('--save <file>', 'write every record, objects included, to a file as well')
    .addOption(new Option('-w, --watch', 'accepted for fingers trained on kubectl').hideHelp())
    .action(async (resources: string[], flags) => {
      const names = resources.flatMap((name) => name.split(',')).filter((name) => name !== '');
      if (names.length + (flags.raw?.length ?? 0) > MAX_TARGETS) {
        throw new UsageError(`at most ${MAX_TARGETS} resources can be watched at once`);
      }
      const { tail } = await import('./tail.ts');
      finish(await tail({ ...flags, resources: names, raw: flags.raw ?? [], version: KWATCH_VERSION }));
    });
  return outputFlags(command);
}

function localCommand(): Command {
  const command = new Command('local')
    .description('embedded apiserver (ring, store, faults) and a story in which watchers lose their history')
    .option('--cache-size <n|auto>', 'pin the watch cache’s ring to n events; auto: upstream’s rule', cacheSize, 'auto')
    .addOption(
      new Option('--burst <n[/duration]>', 'writes in the story’s burst, and within how long')
        .argParser(burst)
        .default(burst('500'), '500: 250 a second'),
    )
    .option('--objects <n>', 'pods in the store', wholeNumber(1, 10_000), 40)
    .option('--port <n>', 'port (default: 7410 or the next free one; 0: any)', wholeNumber(0, 65_535))
    .option('--replicas <n>', 'apiservers on one store, a port each', wholeNumber(1, MAX_REPLICAS), 1)
    .option('--tls', 'HTTPS, with a certificate made for this run')
    .option('--token <token>', 'ask every request for this bearer token')
    .option('--host <address>', 'listen there instead of 127.0.0.1; beyond loopback only with --token')
    .option('--kubeconfig-out <file>', 'write a kubeconfig with a context for each apiserver')
    .option('--feature-gates <gate=true>', 'gates of the apiserver: WatchList (off in 1.30)', featureGates)
    .addOption(
      new Option('--compact-every <duration|off>', 'compaction interval')
        .argParser(intervalOrOff)
        .default(intervalOrOff('5m'), '5m'),
    )
    .addOption(
      new Option('--progress-notify <duration>', 'etcd’s progress notify interval')
        .argParser(duration)
        .default(duration('5s'), '5s'),
    )
    .option('--seed <n>', 'seed of every random number', wholeNumber(0, 2 ** 32 - 1), 1)
    .option('--speed <s>', 'run s times faster than real time, at most 1000', speed, 1)
    .option('--for <duration>', 'stop after so long', duration)
    .option('--script <file|name>', 'play this script instead of the story (list: names those that are here)')
    .option('--keep', 'go on serving after the script')
    .option('--no-story', 'serve only: no watchers, no writes; no objects unless --objects says so')
    .option('--object', 'put the whole object into event records (-o json)')
    .action(async (flags, self: Command) => {
      const { local } = await import('./local.ts');
      const given = new Set(Object.keys(flags).filter((name) => self.getOptionValueSource(name) === 'cli'));
      finish(await local({ ...flags, given, version: KWATCH_VERSION }));
    });
  return outputFlags(command);
}

function explainCommand(): Command {
  return connectionOptions(new Command('explain'))
    .description(
      'decode a log line, a Status or a whole log: what refused, what the numbers are, what to do; sends nothing without --live',
    )
    .argument('[text|file|class...]', 'the text, files with logs, or the name of a class; - or nothing: standard input')
    .option('--file <file>', 'a file, where its name could be taken for a text (repeatable)', repeated)
    .option('--live <resource>', 'put the question to the cluster: is this RV still served? etcd? (≤ 15 s, read-only)')
    .option('--rv <n>', 'with --live: the RV to ask about, instead of the one that the text names', knownRv)
    .option('-n, --namespace <name>', 'with --live: namespace, instead of the context’s')
    .option('-A, --all-namespaces', 'with --live: all namespaces')
    .addOption(new Option('-o, --output <format>', 'text or json').choices(['line', 'json']).default('line'))
    .addOption(new Option('--color <when>', 'colours').choices(['auto', 'always', 'never']).default('auto'))
    .addHelpText(
      'after',
      ({ command }) => `\nClasses:\n${command.createHelp().boxWrap(CLASSES.join(', '), HELP_WIDTH)}`,
    )
    .action(async (words: string[], flags) => {
      const { explain } = await import('./explain.ts');
      finish(await explain({ ...flags, words, version: KWATCH_VERSION }));
    });
}

function probeCommand(): Command {
  return connectionOptions(new Command('probe'))
    .description('read-only check of a watch endpoint, ending with how long a client may be away; exit 1 on a failure')
    .argument('<resource>', 'pods, deployments.apps')
    .option('-n, --namespace <name>', 'namespace, instead of the context’s')
    .option('-A, --all-namespaces', 'all namespaces')
    .option('--deep', 'minutes: bookmark rhythm, idle cuts, the window’s age, write rate (default: 330 s)')
    .option('--for <duration>', 'length of the deep half', duration)
    .option('--via <url>', 'ask a second path too, and show what differs')
    .option('--http2', 'HTTP/2: by ALPN over https, by prior knowledge over plain http')
    .addOption(
      new Option('-o, --output <format>', 'text or a report')
        .choices(['line', 'json', 'junit', 'markdown'])
        .default('line'),
    )
    .addOption(new Option('--color <when>', 'colours').choices(['auto', 'always', 'never']).default('auto'))
    .action(async (resource: string, flags) => {
      const { probe } = await import('./probe.ts');
      finish(await probe({ ...flags, resource, version: KWATCH_VERSION }));
    });
}

/** One line, without commander's own prefix and suggestions on a second line. */
function oneLine(text: string): string {
  return `kwatch: ${text
    .replace(/^error: /, '')
    .trim()
    .replace(/\s*\n\s*/g, ' ')}\n`;
}

function program(): Command {
  const root = new Command('kwatch')
    .description('Debug Kubernetes watches: see the stream, and learn why it broke.')
    .version(KWATCH_VERSION, '-V, --version')
    .configureHelp({ showGlobalOptions: true });
  for (const [index, command] of [tailCommand(), localCommand(), explainCommand(), probeCommand()].entries()) {
    root.addCommand(command, { isDefault: index === 0 });
  }
  for (const command of [root, ...root.commands]) {
    command.exitOverride().configureOutput({ outputError: (text, write) => write(oneLine(text)) });
  }
  return root;
}

/** Nobody is there to read what we write: a pipe was closed (`| head`), or the terminal's window. */
const NOBODY_READS = ['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED'];

/** There is nobody to tell: leave in silence. A full disk is no fault of ours, but nothing more can be told there either. */
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (NOBODY_READS.includes(error.code ?? '')) process.exit(process.exitCode ?? EXIT.ok);
    if (stream === process.stderr) process.exit(EXIT.cannot);
    process.stderr.write(oneLine(`standard output cannot be written: ${error.message}`), () =>
      process.exit(EXIT.cannot),
    );
  });
}

/**
 * A fault of this program: one line, and the trace only for whoever asks for it. The screen has given the terminal back by then
 * (uncaughtExceptionMonitor).
 */
function onFault(error: unknown): never {
  const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
  const detail = process.env.KWATCH_DEBUG ? (stack ?? '') : 'KWATCH_DEBUG=1 shows where';
  process.stderr.write(`kwatch: internal error: ${message.split('\n')[0]}; please report it (${detail})\n`);
  process.exit(EXIT.cannot);
}
process.on('uncaughtException', onFault);

try {
  const root = program();
  if (process.argv.length <= 2) root.outputHelp();
  else await root.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // Help and version come here too, with exit code 0; commander has written its line already.
    finish(error.exitCode === 0 ? EXIT.ok : EXIT.cannot);
  } else if (error instanceof UsageError) {
    process.stderr.write(oneLine(error.message));
    finish(EXIT.cannot);
  } else {
    onFault(error);
  }
}
