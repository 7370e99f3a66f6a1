import { EXIT, type ExitCode } from '../../errors.ts'
import { parseCommand } from '../input/parse.ts'
import { MCP_OPTIONS } from '../input/server-options.ts'
import type { Io } from '../output/io.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** `mediaproc mcp`: serves the tools to an agent over standard input and output, until the input ends. */
export async function mcpCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const { common } = parseCommand('mcp', args, MCP_OPTIONS, 0)
  const [{ rootAt }, { serveLocal }] = await Promise.all([
    import('../../mcp/local/roots.ts'),
    import('../../mcp/local/serve.ts'),
  ])
  const roots = await Promise.all((common.root ?? []).map(rootAt))
  if (io.stdinIsTerminal)
    io.err('mediaproc: waiting for a client on standard input; docs/mcp.md shows how to set one up\n')
  const stop = new AbortController()
  const end = (): void => stop.abort()
  for (const signal of SIGNALS) process.on(signal, end)
  try {
    await serveLocal(roots, { stdin: io.stdin(), stdout: io.stdout, signal: stop.signal, report: io.err })
  } finally {
    for (const signal of SIGNALS) process.removeListener(signal, end)
  }
  return EXIT.ok
}
