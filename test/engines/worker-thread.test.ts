import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { askWorker, openWorker } from '../../src/engines/workers/worker-thread.ts'
import { MediaprocError } from '../../src/errors.ts'
import { builtFile } from '../../src/root.ts'

const folder = mkdtempSync(join(tmpdir(), 'mediaproc-thread-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A thread's module with this handler; it may use `workerData`. */
function entryOf(name: string, handler: string): URL {
  const path = join(folder, `${name}.mjs`)
  const answers = builtFile('src/engines/workers/worker-answers.js').href
  writeFileSync(
    path,
    `import { workerData } from 'node:worker_threads'
     import { answerRequests } from ${JSON.stringify(answers)}
     answerRequests(${handler})`,
  )
  return pathToFileURL(path)
}

const ENDLESS = entryOf('endless', '() => { for (;;) {} }')

test('answers requests one after the other', async () => {
  const thread = openWorker<number, number>(entryOf('times', '(value) => ({ answer: value * workerData })'), {
    data: 3,
  })
  expect(await thread.ask(2)).toBe(6)
  expect(await thread.ask(5)).toBe(15)
  await thread.close()
})

test('refuses a second request while it processes the first', async () => {
  const thread = openWorker<number, number>(ENDLESS)
  const first = thread.ask(1)
  first.catch(() => undefined)
  await expect(thread.ask(2)).rejects.toThrow('busy')
  await thread.close()
  await expect(first).rejects.toThrow('without an answer')
})

test('transfers the buffers of an answer and copies those of a request', async () => {
  const entry = entryOf(
    'bytes',
    `(bytes) => {
       const answer = bytes.map((value) => value + 1)
       setImmediate(() => { if (answer.byteLength !== 0) throw new Error('copied') })
       return { answer, transfer: [answer.buffer] }
     }`,
  )
  const given = new Uint8Array([1, 2, 3])
  const thread = openWorker<Uint8Array, Uint8Array>(entry)
  expect([...(await thread.ask(given))]).toEqual([2, 3, 4])
  // A thread whose check found a copy has ended by now or ends before it answers.
  expect([...(await thread.ask(given))]).toEqual([2, 3, 4])
  expect([...given]).toEqual([1, 2, 3])
  await thread.close()
})

test('reports progress before the answer', async () => {
  const entry = entryOf(
    'steps',
    "(count, send) => { for (let at = 1; at <= count; at++) send(at / count); return { answer: 'done' } }",
  )
  const parts: number[] = []
  expect(await askWorker(entry, 4, { onProgress: (part) => parts.push(part) })).toBe('done')
  expect(parts).toEqual([0.25, 0.5, 0.75, 1])
})

test('passes on an error as data, with its name and message, and answers the next request', async () => {
  const entry = entryOf(
    'errors',
    `async (bad) => {
       if (!bad) return { answer: 'well' }
       throw Object.assign(new RangeError('too wide'), { cannotBeCloned: () => undefined })
     }`,
  )
  const thread = openWorker<boolean, string>(entry)
  const error = await thread.ask(true).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(Error)
  expect(error).toMatchObject({ name: 'RangeError', message: 'too wide' })
  expect(await thread.ask(false)).toBe('well')
  await thread.close()
})

test('passes on a MediaprocError as such', async () => {
  const errors = builtFile('src/errors.js').href
  const entry = entryOf(
    'known',
    `async () => {
       const { MediaprocError } = await import(${JSON.stringify(errors)})
       throw new MediaprocError('INVALID_FILE', 'cut off', { hint: 'fetch it', detail: 'xref', fields: { rule: 3 } })
     }`,
  )
  const error = await askWorker(entry, 1).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(MediaprocError)
  expect(error).toMatchObject({
    code: 'INVALID_FILE',
    message: 'cut off',
    hint: 'fetch it',
    detail: 'xref',
    fields: { rule: 3 },
  })
})

test('can call back while it works, and an error thrown there becomes the cause', async () => {
  const entry = entryOf(
    'asks',
    `async (names, send, consult) => {
       const [one, two] = await Promise.all(names.map(consult))
       send(two)
       try {
         await consult('bad')
       } catch (error) {
         throw new Error(one + ': ' + error.message, { cause: error })
       }
     }`,
  )
  const thread = openWorker<string[], never, string>(entry)
  const refusal = new MediaprocError('OUTPUT_EXISTS', 'it is there')
  const reported: string[] = []
  const onQuestion = async (name: unknown): Promise<string> => {
    if (name === 'bad') throw refusal
    return `path of ${name}`
  }
  const work = thread.ask(['a', 'b'], { onQuestion, onMessage: (text) => reported.push(text) })
  const error = (await work.catch((reason: unknown) => reason)) as Error
  expect(error.message).toBe('path of a: it is there')
  expect(error.cause).toBe(refusal)
  expect(reported).toEqual(['path of b'])
  expect(thread.isFree).toBe(true)
  await thread.close()
  expect(thread.isFree).toBe(false)
})

test('receives a request to stop, and can be used again', async () => {
  const entry = entryOf(
    'waits',
    `(_, send, consult, signal) => new Promise((_resolve, reject) => {
       signal.addEventListener('abort', () => reject(signal.reason))
       send(1)
     })`,
  )
  const thread = openWorker<number, never>(entry)
  for (const code of ['TIMEOUT', 'CANCELED'] as const) {
    const work = thread.ask(1, { onMessage: () => thread.abort(new MediaprocError(code)) })
    await expect(work).rejects.toMatchObject({ code })
  }
  await thread.close()
})

test('an answer that cannot be cloned is an error', async () => {
  const entry = entryOf('unclonable', '() => ({ answer: () => undefined })')
  await expect(askWorker(entry, 1)).rejects.toMatchObject({ name: 'DataCloneError' })
})

test.each([
  ['a module that cannot be loaded', 'broken', ') }', /SyntaxError|Unexpected/],
  ['a thread that ends itself', 'exits', '() => process.exit(7)', /exit code 7/],
])('%s is an error, also for later requests', async (_, name, handler, message) => {
  const thread = openWorker<number, number>(entryOf(name, handler))
  const reported = (reason: unknown): string => String(reason)
  expect(await thread.ask(1).catch(reported)).toMatch(message)
  expect(await thread.ask(2).catch(reported)).toMatch(message)
  await thread.close()
})

test('an abort ends a thread in an endless loop', async () => {
  const controller = new AbortController()
  const work = askWorker(ENDLESS, 1, { signal: controller.signal })
  controller.abort(new MediaprocError('TIMEOUT', 'too late'))
  await expect(work).rejects.toMatchObject({ code: 'TIMEOUT', message: 'too late' })
})

test('does not start a thread if already aborted', async () => {
  const missing = pathToFileURL(join(folder, 'not-there.mjs'))
  await expect(askWorker(missing, 1, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELED' })
})

test('passes no environment to the thread, except where engine packs are', async () => {
  const entry = entryOf('environment', '() => ({ answer: Object.keys(process.env) })')
  expect([...(await askWorker<number, string[]>(entry, 1))].sort()).toEqual([
    'MEDIAPROC_ENGINES',
    'MEDIAPROC_MANIFESTS',
  ])
})

const COUNTING = entryOf(
  'counting',
  `(what) => {
     if (what === 'fail') throw new Error('failed')
     if (what === 'endless') for (;;) {}
     globalThis.asked = (globalThis.asked ?? 0) + 1
     return { answer: globalThis.asked }
   }`,
)

test('a reusable thread serves the next request, and only those that may be served so', async () => {
  const ask = (isReusable: boolean) => askWorker<string, number>(COUNTING, 'count', { isReusable })
  expect([await ask(true), await ask(true), await ask(false), await ask(true)]).toEqual([1, 2, 1, 3])
  // At the same time, each has a thread of its own.
  expect((await Promise.all([ask(true), ask(true)])).sort()).toEqual([1, 4])
})

test('a reusable thread that failed or was aborted is gone', async () => {
  const ask = (what: string, signal?: AbortSignal) =>
    askWorker<string, number>(COUNTING, what, { isReusable: true, ...(signal && { signal }) })
  const drained = async () => {
    for (let at = 0; at < 5; at += 1) await ask('fail').catch(() => undefined)
  }
  await drained()
  await expect(ask('fail')).rejects.toThrow('failed')
  expect([await ask('count'), await ask('count')]).toEqual([1, 2])
  const ending = new AbortController()
  const endless = ask('endless', ending.signal)
  setTimeout(() => ending.abort(new MediaprocError('TIMEOUT', 'enough')), 100)
  await expect(endless).rejects.toMatchObject({ code: 'TIMEOUT', message: 'enough' })
  expect(await ask('count')).toBe(1)
  // An abort after the answer does not concern it.
  const later = new AbortController()
  expect(await ask('count', later.signal)).toBe(2)
  later.abort()
  expect(await ask('count')).toBe(3)
  await expect(ask('count', later.signal)).rejects.toMatchObject({ code: 'CANCELED' })
})
