import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { abilitiesOf } from '../../../src/engines/ffmpeg/abilities.ts'
import { findFfmpeg, requireFilter } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const cache = join(folder, 'cache')
const storedIn = join(cache, 'ffmpeg.json')
// A file beside it would count as a change of the build.
const program = join(folder, 'bin', 'ffmpeg')
mkdirSync(join(folder, 'bin'))
copyFileSync((await findFfmpeg())!.path, program)
chmodSync(program, 0o755)

/** Each name of the program is asked once in a process. */
function anotherName(name: string): string {
  const link = join(folder, name)
  symlinkSync(program, link)
  return link
}

const edit = (change: (filters: string[]) => string[]): void => {
  const stored = JSON.parse(readFileSync(storedIn, 'utf8'))
  writeFileSync(storedIn, JSON.stringify({ ...stored, filters: change(stored.filters) }))
}

beforeEach(() => {
  vi.stubEnv('MEDIAPROC_CACHE_DIR', cache)
  return () => vi.unstubAllEnvs()
})

describe('the capabilities of ffmpeg', () => {
  test('are asked once per build, and again if the program must answer or has changed', async () => {
    const first = await abilitiesOf(anotherName('first'))
    expect(first.filters).toContain('scale')
    edit((filters) => [...filters, 'another'])
    expect((await abilitiesOf(anotherName('second'))).filters).toContain('another')
    expect(await abilitiesOf(join(folder, 'second'), { isAsked: true })).toEqual(first)
    edit((filters) => [...filters, 'another'])
    utimesSync(program, new Date(0), new Date(0))
    expect(await abilitiesOf(anotherName('third'))).toEqual(first)
  })

  test('a filter that a stored answer lacks is asked for', async () => {
    await abilitiesOf(anotherName('fourth'))
    edit((filters) => filters.filter((name) => name !== 'scale'))
    vi.stubEnv('MEDIAPROC_FFMPEG', anotherName('fifth'))
    await expect(requireFilter('scale')).resolves.toBeUndefined()
    await expect(requireFilter('no-such-filter')).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' })
  })

  test('a damaged cache is replaced', async () => {
    writeFileSync(storedIn, '{"state":')
    expect((await abilitiesOf(anotherName('sixth'))).muxers).toContain('mp4')
    expect(JSON.parse(readFileSync(storedIn, 'utf8')).muxers).toContain('mp4')
  })

  test('a script is asked in each process: it may start any other program', async () => {
    const script = join(folder, 'ffmpeg-script')
    writeFileSync(script, `#!/bin/sh\nexec '${program}' "$@"\n`, { mode: 0o755 })
    vi.stubEnv('MEDIAPROC_CACHE_DIR', join(folder, 'other-cache'))
    expect((await abilitiesOf(script)).filters).toContain('scale')
    expect(existsSync(join(folder, 'other-cache'))).toBe(false)
  })
})
