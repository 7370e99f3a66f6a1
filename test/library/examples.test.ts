import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { ROOT } from '../../src/root.ts'

test('the examples, the handler and the plugin of docs/library.md run as they are', async () => {
  const root = fileURLToPath(ROOT)
  const folder = mkdtempSync(join(tmpdir(), 'mediaproc-examples-'))
  try {
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(root, join(folder, 'node_modules', 'mediaproc'))
    const script = join(root, 'test/smoke/library-examples.mjs')
    const { stdout } = await promisify(execFile)(process.execPath, [script, folder, join(root, 'node_modules/vite')])
    expect(stdout).toContain('12 examples of docs/library.md')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
