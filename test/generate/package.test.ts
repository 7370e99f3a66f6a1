import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { normalize } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = new URL('../../', import.meta.url)
const read = (name: string): string => readFileSync(new URL(name, ROOT), 'utf8')

interface Locked {
  version: string
  dev?: boolean
  optional?: boolean
  engines?: { node?: string }
  dependencies?: Record<string, string>
}
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }
const manifest = JSON.parse(read('package.json')) as { engines: { node: string }; overrides?: Record<string, string> }

/** The package that a package of the lock file gets for a name. */
function resolved(from: string, name: string): Locked | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const found = packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`]
    if (found || folder === '' || !folder.includes('node_modules')) return found ?? packages[`node_modules/${name}`]
  }
}

test('an override never decides what the program uses: it does not apply to users of the package', () => {
  const overridden = Object.keys(manifest.overrides ?? {})
  const used = Object.entries(packages).filter(([, about]) => !about.dev)
  const asked = used.flatMap(([from, { dependencies = {} }]) =>
    Object.keys(dependencies)
      .filter((name) => overridden.includes(name))
      .map((name) => `${from} uses ${name} ${resolved(from, name)?.version}`),
  )
  expect(asked).toEqual([])
})

/** Whether a range of Node versions such as `^18.17.0 || ^20.3.0 || >=21.0.0` includes a version. */
function takes(range: string, version: readonly number[]): boolean {
  const compared = (text: string): number => {
    const parts = text.split('.').map(Number)
    return [0, 1, 2].map((at) => version[at]! - (parts[at] ?? 0)).find((apart) => apart !== 0) ?? 0
  }
  return range.split('||').some((alternative) =>
    [...alternative.matchAll(/(>=|<=|<|>|\^|~|)\s*v?(\d[\d.]*)/g)].every(([, sign, text]) => {
      const apart = compared(text!)
      if (sign === '>=') return apart >= 0
      if (sign === '>') return apart > 0
      if (sign === '<') return apart < 0
      if (sign === '<=') return apart <= 0
      return apart >= 0 && version[0] === Number(text!.split('.')[0])
    }),
  )
}

test('every package installed with the program accepts the oldest supported Node', () => {
  const oldest = /\d+(?:\.\d+)*/.exec(manifest.engines.node)![0].split('.').map(Number)
  expect([takes('>=22', oldest), takes('^18 || ^20.3.0', oldest), takes('>= 20 < 21', oldest)]).toEqual([
    ...[false, true, true],
  ])
  const refusing = Object.entries(packages)
    .filter(([path, { dev, engines }]) => path !== '' && !dev && engines?.node && !takes(engines.node, oldest))
    .map(([path, { version, engines }]) => `${path} ${version} wants ${engines!.node}`)
  expect(refusing).toEqual([])
})

test('everything linked in the README is in the package', () => {
  const listing = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const packed = (JSON.parse(listing) as { files: { path: string }[] }[])[0]!.files.map(({ path }) => path)
  const links = [...read('README.md').matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)].map(([, target]) => normalize(target!))
  expect(links.length).toBeGreaterThan(10)
  expect(links.filter((link) => !packed.some((path) => path === link || path.startsWith(`${link}/`)))).toEqual([])
}, 60_000)
