import { resolve } from 'node:path'
import type { Engine, EngineStatus } from '../engine.ts'
import { runProgram } from '../process/process.ts'
import { findProgram } from '../process/programs.ts'

export const findDcraw = () => findProgram({ environment: 'MEDIAPROC_DCRAW', names: ['dcraw_emu', 'dcraw'] })

/** Maximum size of a developed photo; bytes of 16-bit RGB. */
const MAX_BYTES = 1 << 30

/**
 * Develops a camera raw file: 16-bit sRGB TIFF, upright, white balance as shot. Undefined if no program is installed.
 */
export async function developRaw(path: string): Promise<Buffer | undefined> {
  const program = await findDcraw()
  if (!program) return undefined
  const emulated = /dcraw_emu/.test(program.path)
  // -w white balance as shot, -6 16 bits, -T TIFF, -o 1 sRGB, -g the sRGB curve; to standard output
  const args = ['-w', '-6', '-T', '-o', '1', '-g', '2.4', '12.92', ...(emulated ? ['-Z', '-'] : ['-c']), resolve(path)]
  const { stdout } = await runProgram(program.path, args, { what: 'dcraw', stdout: 'buffer', maxOutput: MAX_BYTES })
  return Buffer.from(stdout)
}

export const dcraw: Engine = {
  id: 'dcraw',
  purpose: 'developing camera raw photographs',
  kind: 'program',
  licence: 'LibRaw: LGPL-2.1 or CDDL-1.0; dcraw: GPL-2.0-or-later',
  install: 'apt-get install libraw-bin',
  environment: 'MEDIAPROC_DCRAW',
  async probe(): Promise<EngineStatus> {
    const program = await findDcraw().catch(() => undefined)
    if (!program) return { available: false }
    const { stdout, stderr } = await runProgram(program.path, [], { what: 'dcraw', allowExit: [0, 1, 2] })
    const version = /(?:dcraw"?|LibRaw)[^\d]*v?([\d.]+)/i.exec(`${stdout}${stderr}`)?.[1]
    return {
      available: true,
      path: program.path,
      source: program.source === 'environment' ? 'environment' : 'path',
      ...(version && { version }),
    }
  },
}
