/** What makes `npm test` build: a project of two sources, whose build is counted. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { afterEveryFile } from '../helpers/clean-up.ts'
import { temporaryFolder } from '../helpers/program.ts'

const SCRIPTS = ['build.mjs', 'sources.mjs']
const folder = temporaryFolder()
afterEveryFile(() => folder.remove())
const at = (...parts: string[]): string => join(folder.path, ...parts)

/** Whether the script built. */
function builds(...options: string[]): boolean {
  rmSync(at('log'), { force: true })
  execFileSync(process.execPath, [at('.ci', 'build.mjs'), ...options], {
    env: { PATH: `${folder.path}:${process.env.PATH}` },
  })
  return existsSync(at('log'))
}
const ifChanged = (): boolean => builds('--if-changed')

beforeAll(() => {
  for (const name of ['.ci', 'src', 'tools', 'models', 'plugins/formats/src', 'web', 'node_modules'])
    mkdirSync(at(name), { recursive: true })
  for (const name of SCRIPTS) cpSync(new URL(`../../.ci/${name}`, import.meta.url), at('.ci', name))
  // Instead of npm, whose start takes longer than all of this.
  const steps = ['rm -rf dist plugins/formats/dist', 'cp -r src dist', 'cp -r plugins/formats/src plugins/formats/dist']
  writeFileSync(at('npm'), `#!/bin/sh\n[ "$*" = 'run build:all' ] && ${steps.join(' && ')} && touch log\n`, {
    mode: 0o755,
  })
  for (const name of [
    'package.json',
    'node_modules/.package-lock.json',
    'tsconfig.json',
    'plugins/formats/package.json',
    'plugins/formats/tsconfig.json',
  ])
    writeFileSync(at(name), '{}')
  for (const name of ['src/a.ts', 'src/b.ts', 'plugins/formats/src/c.ts']) writeFileSync(at(name), name)
})

test('the first time, and not again', () => {
  expect([ifChanged(), ifChanged()]).toEqual([true, false])
  expect(builds()).toBe(true)
  expect(ifChanged()).toBe(false)
})

test('a changed, a new and a deleted source count; times do not', () => {
  writeFileSync(at('src/a.ts'), 'changed')
  expect([ifChanged(), ifChanged()]).toEqual([true, false])
  writeFileSync(at('tools/d.ts'), '')
  expect([ifChanged(), ifChanged()]).toEqual([true, false])
  rmSync(at('src/b.ts'))
  expect([ifChanged(), ifChanged()]).toEqual([true, false])
  expect(existsSync(at('dist/b.ts'))).toBe(false)
  // Other packages were installed.
  writeFileSync(at('node_modules/.package-lock.json'), '{"packages":{}}')
  expect([ifChanged(), ifChanged()]).toEqual([true, false])
  const later = new Date(Date.now() + 60_000)
  utimesSync(at('src/a.ts'), later, later)
  expect(ifChanged()).toBe(false)
  expect(readFileSync(at('dist/a.ts'), 'utf8')).toBe('changed')
})

test('changed and removed files of the built folder count', () => {
  rmSync(at('dist/a.ts'))
  expect([ifChanged(), ifChanged()]).toEqual([true, false])
  writeFileSync(at('dist/a.ts'), 'compiled by hand')
  const later = new Date(Date.now() + 60_000)
  utimesSync(at('dist/a.ts'), later, later)
  expect([ifChanged(), ifChanged()]).toEqual([true, false])
  rmSync(at('plugins/formats/dist'), { recursive: true })
  expect([ifChanged(), ifChanged()]).toEqual([true, false])
})
