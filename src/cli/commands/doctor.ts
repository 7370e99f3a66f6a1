import type { Engine, EngineStatus } from '../../engines/engine.ts'
import { allEngines } from '../../engines/index.ts'
import { EXIT, type ExitCode } from '../../errors.ts'
import { runtimeEngine } from '../../models/runtime-engine.ts'
import { catalogue } from '../../tool/registry.ts'
import { COMMON_OPTIONS } from '../input/common-options.ts'
import { parseCommand } from '../input/parse.ts'
import type { Io } from '../output/io.ts'
import { table, wrap } from '../output/text.ts'

interface Finding {
  engine: Engine
  status: EngineStatus
  /** Tools that always need it. */
  tools: string[]
}

async function examine(): Promise<Finding[]> {
  const entries = catalogue()
  return Promise.all(
    [...(await allEngines()), runtimeEngine].map(async (engine) => ({
      engine,
      status: await engine.probe(),
      tools: entries.filter(({ engines }) => engines.includes(engine.id)).map(({ section, id }) => `${section}/${id}`),
    })),
  )
}

function asJson({ engine, status, tools }: Finding): object {
  const { id, purpose, kind, licence, install, environment } = engine
  return {
    id,
    purpose,
    kind,
    licence,
    environment,
    ...status,
    tools,
    ...(!status.available && status.blocked === undefined && { install }),
  }
}

/** Notes below the table: missing engines with their install commands, and warnings of engines. */
function notes(findings: readonly Finding[], io: Io): string {
  const { bold } = io.outColours
  return findings
    .map(({ engine, status, tools }) => {
      const lines: string[] = []
      if (!status.available) {
        const affected =
          tools.length > 0 ? `without it these do not work: ${tools.join(', ')}` : 'no tool depends on it alone'
        if (status.blocked === undefined) lines.push(`not found; ${affected}`, `install: ${engine.install}`)
        else lines.push(`found, but cannot be used; ${affected}`, status.blocked)
      }
      if (status.warning) lines.push(status.warning)
      if (status.protection) lines.push(status.protection)
      if (lines.length === 0) return ''
      const text = lines.flatMap((line) => wrap(line, io.width - 2)).map((line) => `  ${line}\n`)
      return `\n${bold(engine.id)}\n${text.join('')}`
    })
    .join('')
}

/** `mediaproc doctor [--json]`: checks the presence, path and version of every engine. */
export async function doctorCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const { common } = parseCommand('doctor', args, { json: COMMON_OPTIONS.json }, 0)
  const findings = await examine()
  if (common.json) {
    io.out(`${JSON.stringify(findings.map(asJson), null, 2)}\n`)
    return EXIT.ok
  }
  const rows = findings.map(({ engine, status, tools }) => [
    engine.id,
    status.available ? 'yes' : status.blocked === undefined ? 'no' : 'blocked',
    status.version ?? '-',
    String(tools.length),
    status.path ?? '-',
    engine.purpose,
  ])
  io.out(table(['ENGINE', 'FOUND', 'VERSION', 'TOOLS', 'WHERE', 'WHAT FOR'], rows))
  io.out(notes(findings, io))
  return EXIT.ok
}
