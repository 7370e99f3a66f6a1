import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { convertOffice, libreoffice } from '../../src/engines/libreoffice/libreoffice.ts'
import { canTakeNetwork } from '../../src/engines/process/no-network.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const folder = temporaryFolder()

afterEach(() => vi.unstubAllEnvs())

/** The names of network devices in the text of /proc/net/dev. */
const devices = (text: string): string[] => [...text.matchAll(/^\s*([\w.@-]+):/gm)].map(([, name]) => name!).sort()

test.runIf(process.platform === 'linux')(
  'LibreOffice has no network if the system supports it, and doctor reports which',
  async () => {
    // Replaces soffice: its output is the list of networks that it can use.
    const script = join(folder, 'soffice')
    writeFileSync(
      script,
      '#!/bin/sh\nwhile [ $# -gt 1 ]; do [ "$1" = --outdir ] && out=$2; shift; done\n[ -n "$out" ] && cat /proc/net/dev > "$out/in.pdf"\necho "LibreOffice 9.9"\n',
    )
    chmodSync(script, 0o755)
    vi.stubEnv('MEDIAPROC_LIBREOFFICE', script)
    const request = { bytes: Buffer.from('x'), from: 'txt', to: 'pdf', name: 'a.txt' } as const
    const made = await convertOffice({ ...request, signal: new AbortController().signal })
    const isAlone = await canTakeNetwork()
    const here = devices(readFileSync('/proc/net/dev', 'utf8'))
    expect(devices(Buffer.from(made).toString())).toEqual(isAlone ? ['lo'] : here)
    const { protection } = await libreoffice.probe()
    expect(protection).toMatch(isAlone ? /without a network/ : /with the network of this machine/)
  },
)
