import type { ChildProcess } from 'node:child_process'
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { namesIn, startProgram, statusOf, useBuiltScene } from '../helpers/program.ts'

const here = useBuiltScene()
const { at, picture, widthOf } = here

interface Watch {
  child: ChildProcess
  /** Paths of outputs, in the order of their jobs. */
  outputs(): string[]
  messages(): string
  until(test: () => boolean): Promise<void>
  /** Ends it with a signal; returns its exit code. */
  end(signal?: NodeJS.Signals): Promise<number>
}

let children: ChildProcess[] = []
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  children = []
})

async function startWatch(...args: string[]): Promise<Watch> {
  const child = startProgram(['watch', ...args, '--settle', '40'], { cwd: here.path })
  children.push(child)
  let [out, err] = ['', '']
  child.stdout?.on('data', (chunk) => {
    out += chunk
  })
  child.stderr?.on('data', (chunk) => {
    err += chunk
  })
  const ended = statusOf(child)
  const watch: Watch = {
    child,
    outputs: () => out.split('\n').filter((line) => line !== ''),
    messages: () => err,
    async until(test) {
      while (!test()) {
        if (child.exitCode !== null) throw new Error(`the watch ended: ${err}`)
        await setTimeout(5)
      }
    },
    end(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
  await watch.until(() => err.includes('watching'))
  return watch
}

const countOf = (list: readonly string[], wanted: string): number => list.filter((one) => one === wanted).length

test('processes new, changed and replaced files, also in folders that are made again', async () => {
  mkdirSync(at('in'))
  copyFileSync(at('a.jpg'), at('in', 'old.jpg'))
  const watch = await startWatch('image', 'resize', 'in', '--width', '10', '-d', 'in/out')
  const appears = (name: string, times = 1): Promise<void> =>
    watch.until(() => countOf(watch.outputs(), `in/out/${name}`) === times)
  await appears('old_resize.jpg')
  copyFileSync(at('a.jpg'), at('in', 'new.jpg'))
  await appears('new_resize.jpg')
  // As editors save: a temporary file, renamed over the old one.
  await picture('in/.new.jpg.tmp.jpg', '#0000ff')
  renameSync(at('in', '.new.jpg.tmp.jpg'), at('in', 'new.jpg'))
  await appears('new_resize.jpg', 2)
  for (const times of [1, 2]) {
    mkdirSync(at('in', 'sub', 'deep'), { recursive: true })
    await picture('in/sub/deep/s.jpg', times === 1 ? '#00ff00' : '#ff00ff')
    await appears('sub/deep/s_resize.jpg', times)
    rmSync(at('in', 'sub'), { recursive: true })
  }
  renameSync(at('in'), at('moved'))
  await watch.until(() => watch.messages().includes('in was deleted; waiting for it'))
  mkdirSync(at('in'))
  copyFileSync(at('a.jpg'), at('in', 'back.jpg'))
  await appears('back_resize.jpg')
  // On a loaded machine the file can be found before the folder is reported.
  await watch.until(() => watch.messages().includes('mediaproc: in is there again'))
  expect(await watch.end()).toBe(0)
  expect(watch.outputs()).toHaveLength(6)
  expect(namesIn(at('in'))).toEqual(['back.jpg', 'out', 'out/back_resize.jpg'])
  expect(await widthOf('moved/out/new_resize.jpg')).toBe(10)
})

test('waits until files are complete, ignores deleted ones, and lists folders with --poll', async () => {
  mkdirSync(at('in'))
  const whole = readFileSync(at('a.jpg'))
  const watch = await startWatch('image', 'resize', 'in', '--width', '10', '--json', '--verbose', '--poll', '20')
  for (let start = 0; start < whole.length; start += 40) {
    appendFileSync(at('in', 'slow.jpg'), whole.subarray(start, start + 40))
    await setTimeout(10)
  }
  copyFileSync(at('a.jpg'), at('in', 'gone.jpg'))
  rmSync(at('in', 'gone.jpg'))
  await watch.until(() => watch.outputs().length === 1)
  expect(JSON.parse(watch.outputs()[0] ?? '')).toMatchObject({ input: 'in/slow.jpg', ok: true })
  // Next to its output, which is no input.
  copyFileSync(at('a.jpg'), at('in', 'last.jpg'))
  await watch.until(() => watch.outputs().length === 2)
  await setTimeout(100)
  expect(await watch.end('SIGINT')).toBe(0)
  expect(watch.outputs()).toHaveLength(2)
  expect(namesIn(at('in'))).toEqual(['last.jpg', 'last_resize.jpg', 'slow.jpg', 'slow_resize.jpg'])
})

test('a signal aborts running jobs, and the next start does them', async () => {
  mkdirSync(at('in'))
  for (const name of ['1.jpg', '2.jpg', '3.jpg']) copyFileSync(at('a.jpg'), at('in', name))
  const watch = await startWatch('image', 'convert', 'in', '--format', 'png', '-d', 'out', '-j', '1')
  await watch.until(() => existsSync(at('out', '1.png')))
  expect(await watch.end()).toBe(0)
  const names = namesIn(at('out'))
  expect(names.every((name) => /^\d\.png$/.test(name))).toBe(true)
  const next = await here.run([
    'watch',
    'image',
    'convert',
    'in',
    '--format',
    'png',
    '-d',
    'out',
    '--once',
    '--settle',
    '20',
  ])
  expect([next.code, namesIn(at('out'))]).toEqual([0, ['1.png', '2.png', '3.png']])
  expect(next.stdout.trimEnd().split('\n').filter(Boolean)).toHaveLength(3 - names.length)
})
