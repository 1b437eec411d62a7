import { describe, expect, it } from 'vitest';
import { LineSplitter } from '../../src/explain/log-lines.ts';
import { type LogRecord, RecordAssembler } from '../../src/explain/log-records.ts';

/** All records of a log; `telling`: what `tells` and `mayTell` look for. */
function recordsOf(log: string, telling = /(?:)/): LogRecord[] {
  const records: LogRecord[] = [];
  const assembler = new RecordAssembler({
    mayTell: (text) => telling.test(text),
    tells: (text) => telling.test(text),
    onRecord: (record) => records.push(record),
  });
  const splitter = new LineSplitter((line) => assembler.line(line));
  splitter.push(log);
  splitter.end();
  assembler.end();
  return records;
}

const texts = (log: string, telling?: RegExp) => recordsOf(log, telling).map(({ text }) => text);
const times = (log: string) =>
  recordsOf(log)
    .map((record) => record.when())
    .map((time) => time && `${new Date(time.ms).toISOString()} ${time.scale}`);

describe('what collectors put before a line', () => {
  it.each([
    [
      'CRI',
      '2026-09-03T06:00:00.000620082Z stderr F W0903 06:00:00.000600 1 x.go:1] m',
      'W0903 06:00:00.000600 1 x.go:1] m',
    ],
    ['CRI with a zone', '2026-09-03T06:00:00.000620082+02:00 stdout F m', 'm'],
    [
      'Docker',
      '{"log":"W0903 06:00:00.000600 1 x.go:1] \\"m\\"\\n","stream":"stderr","time":"2026-09-03T06:00:00.1Z"}',
      'W0903 06:00:00.000600 1 x.go:1] "m"',
    ],
    [
      'fluentd',
      '{"stream":"stderr","log":"level=error msg=m","time":"2026-09-03T06:00:00.1Z","kubernetes":{"pod_name":"a-0"}}',
      'level=error msg=m',
    ],
    [
      'journald as JSON',
      '{"__REALTIME_TIMESTAMP":"1788415200000000","_HOSTNAME":"n1","SYSLOG_IDENTIFIER":"kubelet","MESSAGE":"m"}',
      'kubelet: m',
    ],
    [
      'journald as JSON, a line that is not all text',
      '{"__REALTIME_TIMESTAMP":"1788415200000000","SYSLOG_IDENTIFIER":"kubelet","MESSAGE":[109,195,182]}',
      'kubelet: mö',
    ],
    ['Loki', '{"labels":{"pod":"web-0"},"line":"m","timestamp":"2026-09-03T06:00:00Z"}', 'm'],
    ['a table of a web console', '"2026-09-03T06:00:00.000Z","n1","m"', '"n1","m"'],
    ['a table of Kibana', '"Sep 3, 2026 @ 06:00:00.000","m"', '"m"'],
    ['Google', '{"textPayload":"m\\n","timestamp":"2026-09-03T06:00:00Z"}', 'm'],
    ['kubectl --timestamps', '2026-09-03T06:00:00.000620082Z m', 'm'],
    ['kubectl --prefix', '[pod/web-0/app] m', 'm'],
    ['kubectl --prefix --timestamps', '[pod/web-0/app] 2026-09-03T06:00:00.000620082Z m', 'm'],
    [
      'syslog',
      'Mar 06 14:21:02 cp-1 kube-apiserver[1187]: W0306 14:21:02.697936 1187 x.go:1] m',
      'kube-apiserver[1187]: W0306 14:21:02.697936 1187 x.go:1] m',
    ],
    ['journalctl -o short-iso', '2026-03-06T14:21:02+0000 cp-1 kubelet[9]: m', 'kubelet[9]: m'],
    ['RFC 5424', '<14>1 2026-03-06T14:21:02.003Z host.example.io kubelet 99 ID47 - m', 'kubelet: m'],
    ['docker compose', 'controller-1  | 2026-03-06 14:21:02,003 ERROR m', '2026-03-06 14:21:02,003 ERROR m'],
    ['stern', 'web-0 app W0903 06:00:00.000600 1 x.go:1] m', 'W0903 06:00:00.000600 1 x.go:1] m'],
    ['stern -A', 'shop web-0 app {"level":"info","msg":"m"}', '{"level":"info","msg":"m"}'],
    ['kubetail', '[web-7d9f-x1] 2026-03-06T14:21:02Z m', '2026-03-06T14:21:02Z m'],
  ])('%s', (_, line, text) => expect(texts(line)).toEqual([text]));

  it('leaves words alone that only look like a pod and a container', () => {
    for (const line of [
      'watch ended with: too old',
      'the-watch ended too old resource version',
      '[main] m',
      'Watch | m',
    ])
      expect(texts(line)).toEqual([line === 'Watch | m' ? 'm' : line]);
  });

  it('knows a pod and container again before lines without a head', () => {
    const log = [
      'web-0 app 2026-03-06 14:21:02 ERROR m',
      'web-0 app \tat io.example.Main(Main.java:7)',
      'web-0 app  more',
    ];
    expect(texts(log.join('\n'))).toEqual(['2026-03-06 14:21:02 ERROR m\n\tat io.example.Main(Main.java:7)\n more']);
  });

  it('joins what CRI and Docker have split', () => {
    const cri = [
      '2026-09-03T06:00:00.1Z stderr P W0903 06:00:00.000600 1 x.go:1] too old ',
      '2026-09-03T06:00:00.1Z stdout F other',
      '2026-09-03T06:00:00.1Z stderr P resource ',
      '2026-09-03T06:00:00.2Z stderr F version',
    ];
    expect(texts(cri.join('\n')).sort()).toEqual(['W0903 06:00:00.000600 1 x.go:1] too old resource version', 'other']);
    const piece = 'x'.repeat(16 * 1024);
    const docker = [`{"log":"${piece}","stream":"stderr"}`, '{"log":"end\\n","stream":"stderr"}'];
    expect(texts(docker.join('\n'))).toEqual([`${piece}end`]);
    expect(texts(cri[0] as string)).toEqual(['W0903 06:00:00.000600 1 x.go:1] too old ']);
  });
});

describe('times of records', () => {
  it.each([
    [
      '2026-09-03T06:09:18.812566220Z stderr F W0903 06:09:18.812693       1 watcher.go:248] m',
      '2026-09-03T06:09:18.812Z utc',
    ],
    ['W0306 14:21:02.697936    1187 watcher.go:229] m', '2024-03-06T14:21:02.697Z yearless'],
    [
      'Mar 06 14:21:02 cp-1 kube-apiserver[1187]: W0306 14:21:02.697936    1187 watcher.go:229] m',
      '2024-03-06T14:21:02.697Z yearless',
    ],
    ['2026-06-10 21:45:45    W0610 20:45:45.337563       1 reflector.go:462] m', '2026-06-10T21:45:45.000Z local'],
    [
      'ERROR: logging before flag.Parse: W1011 15:02:26.242802       1 reflector.go:341] m',
      '2024-10-11T15:02:26.242Z yearless',
    ],
    ['{"level":"error","ts":1783866001.114,"logger":"klog","msg":"m"}', '2026-07-12T14:20:01.114Z utc'],
    ['{"level":50,"time":1783866001114,"msg":"m"}', '2026-07-12T14:20:01.114Z utc'],
    ['{"msg":"m","level":"error","time":"2026-07-12T16:20:01+02:00"}', '2026-07-12T14:20:01.000Z utc'],
    ['{"asctime":"2026-02-26 19:01:17,974","message":"m"}', '2026-02-26T19:01:17.974Z local'],
    ['{"@timestamp":"2026-07-26T13:35:17.123Z","message":"m"}', '2026-07-26T13:35:17.123Z utc'],
    ['{"level":"error","ts":"2026-07-15T09:39:52Z","msg":"cut in the mid', '2026-07-15T09:39:52.000Z utc'],
    ['time="2026-02-10T13:33:09Z" level=error msg="m"', '2026-02-10T13:33:09.000Z utc'],
    ['ts=2026-08-08T13:25:47.184Z level=error msg="m"', '2026-08-08T13:25:47.184Z utc'],
    ['level=error ts=2026-08-08T13:25:47.184Z msg="m"', '2026-08-08T13:25:47.184Z utc'],
    ['[2026-02-26 19:01:17,974] kopf._core.reactor.o [ERROR   ] m', '2026-02-26T19:01:17.974Z local'],
    ['[2026-06-13T19:21:46Z INFO  kube] m', '2026-06-13T19:21:46.000Z utc'],
    ['2026-06-13T19:21:46.764025Z  INFO orchards: kubert::errors: m', '2026-06-13T19:21:46.764Z utc'],
    ['INFO  2026-07-26 13:35:17,123 [main] m', '2026-07-26T13:35:17.123Z local'],
    [
      '192.0.2.7 - admin [10/Feb/2026:13:33:09 +0100] "GET /api/v1/pods?watch=1 HTTP/1.1" 499 0',
      '2026-02-10T12:33:09.000Z utc',
    ],
    ['1.7838660011e+09\tERROR\tcontroller\tm', '2026-07-12T14:20:01.100Z utc'],
    ['\u001b[33mWARN\u001b[0m[0412] m', undefined],
    ['Jan 21, 2026 10:49:00 PM a.B c\nWARNING: m', '2026-01-21T22:49:00.000Z local'],
    ['WARN[0412] m', undefined],
    ['ERROR:root:m', undefined],
  ])('%s', (line, time) => expect(times(line)).toEqual([time]));

  it('takes those of the first and the last record for the log’s', () => {
    const assembler = new RecordAssembler({ mayTell: () => false, tells: () => false, onRecord: () => {} });
    for (const line of ['started', 'I0611 02:00:00.5 1 a.go:1] m', 'I0611 03:00:00.5 1 a.go:1] m', '\tat x', 'bye'])
      assembler.line(line);
    assembler.end();
    const { from, to } = assembler.span();
    expect([from, to].map((time) => time && new Date(time.ms).toISOString())).toEqual([
      '2024-06-11T02:00:00.500Z',
      '2024-06-11T03:00:00.500Z',
    ]);
  });
});

describe('lines that belong to one record', () => {
  it.each([
    [
      'a Java stack trace',
      '2026-07-26 13:35:17 ERROR Fleet:499 - closed\nio.fabric8.kubernetes.client.WatcherException: too old\n\tat io.fabric8.A(A.java:1) [x.jar:?]\n\t... 12 more\nCaused by: java.io.EOFException: null\n\tat okio.B(B.java:2)',
    ],
    [
      'a Python traceback below a line of a log',
      '2026-07-26 13:35:17,100 ERROR kopf failed\nTraceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\nKeyError: 1\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File "b.py", line 2, in g\nkubernetes.client.exceptions.ApiException: (410)\nReason: Expired: too old\nHTTP response headers: HTTPHeaderDict({})\nHTTP response body: {"code":410}',
    ],
    [
      'a bare Python traceback',
      'Traceback (most recent call last):\n  File "a.py", line 1, in f\nkubernetes.client.exceptions.ApiException: (410)\nReason: Gone',
    ],
    [
      'a Go panic',
      'panic: x\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:7 +0x1\ncreated by k8s.io/client-go.Run in goroutine 9',
    ],
    [
      'zap’s console stack',
      '2026-07-15T09:39:52.123Z\tERROR\tm\nk8s.io/client-go/tools/cache.(*Reflector).ListAndWatch\n\t/go/pkg/reflector.go:1',
    ],
    [
      'a Node error',
      "Error: Premature close\n    at IncomingMessage.onclose (node:internal/x:1:2)\n    at process.y {\n  code: 'ERR'\n}",
    ],
    ['JSON over several lines', '{\n  "kind": "Status",\n  "code": 410\n}'],
    ['an HTTP answer', 'HTTP/1.1 410 Gone\nContent-Type: application/json\nAudit-Id: 1\n\n{"kind":"Status"}'],
  ])('%s', (_, log) => expect(texts(log)).toEqual([log.replaceAll('\n\n', '\n')]));

  it.each([
    [
      'tracebacks one after the other',
      'Traceback (most recent call last):\n  File "a.py"\nKeyError: 1\nTraceback (most recent call last):\n  File "a.py"\nKeyError: 1',
      2,
    ],
    ['lines without any head', 'too old resource version: 1 (2)\ntoo old resource version: 1 (2)\nother', 3],
    ['objects one after the other', '{\n  "a": 1\n}\n{\n  "a": 2\n}', 2],
    ['HTTP answers', 'HTTP/1.1 200 OK\nA: b\n\n{}\nHTTP/1.1 410 Gone\nA: b\n\n{}', 2],
    ['exceptions one a line', 'KeyError: 1\nKeyError: 2', 2],
  ])('keeps apart %s', (_, log, count) => expect(texts(log)).toHaveLength(count));

  it('counts lines that a program prints between its logs, where each tells by itself', () => {
    const log = 'I0611 02:00:00.5 1 a.go:1] m\ntoo old 1\ntoo old 2\nI0611 02:00:01.5 1 a.go:1] m';
    expect(texts(log, /too old/)).toEqual(['I0611 02:00:00.5 1 a.go:1] m\ntoo old 1', 'too old 2']);
  });

  it('does not let the lines of another pod break a trace', () => {
    const log = [
      '[pod/a-0/x] 2026-07-26 13:35:17 ERROR m',
      '[pod/b-0/x] 2026-07-26 13:35:17 ERROR n',
      '[pod/a-0/x] \tat y',
    ];
    expect(texts(log.join('\n')).sort()).toEqual([
      '2026-07-26 13:35:17 ERROR m\n\tat y',
      '2026-07-26 13:35:17 ERROR n',
    ]);
  });

  it('keeps the causes at the end of an endless trace, in bounded memory', () => {
    const log = `2026-07-26 13:35:17 ERROR m\n${'\tat com.example.A(A.java:1)\n'.repeat(100_000)}Caused by: too old\n`;
    const [record] = recordsOf(log, /too old/);
    expect(record?.text.endsWith('Caused by: too old')).toBe(true);
    expect(record?.text.length).toBeLessThan(70_000);
  });

  it('has a bounded number of open records', () => {
    const log = Array.from({ length: 1000 }, (_, n) => `[pod/a-${n}/x] 2026-07-26 13:35:17 ERROR m`).join('\n');
    expect(texts(log)).toHaveLength(1000);
  });
});

describe('when a log begins and ends', () => {
  const spanOf = (log: string) => {
    const assembler = new RecordAssembler({ mayTell: () => false, tells: () => false, onRecord: () => {} });
    for (const line of log.split('\n')) assembler.line(line);
    const { from, to } = assembler.span();
    return [from, to].map((time) => time && `${new Date(time.ms).toISOString()} ${time.scale}`);
  };

  it('is told in times of one kind, where several programs write into it', () => {
    const log = [
      'time="2026-07-21T22:40:00Z" level=info msg=a',
      'I0721 22:40:01.000000 1 a.go:1] b',
      'time="2026-07-21T22:41:00Z" level=info msg=c',
      'I0721 22:55:00.000000 1 a.go:1] d',
    ];
    expect(spanOf(log.join('\n'))).toEqual(['2024-07-21T22:40:01.000Z yearless', '2024-07-21T22:55:00.000Z yearless']);
  });

  it('is told of both ends as they are, where no two are alike', () => {
    expect(spanOf('time="2026-07-21T22:40:00Z" level=info msg=a\nI0721 22:55:00.000000 1 a.go:1] d')).toEqual([
      '2026-07-21T22:40:00.000Z utc',
      '2024-07-21T22:55:00.000Z yearless',
    ]);
  });
});
