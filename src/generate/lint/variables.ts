import { ENVIRONMENT, UNSUPPORTED } from '../../environment.ts'

/** Files by their path from the package's folder, with their text. */
export type Sources = ReadonlyMap<string, string>

const HOME = 'src/environment.ts'

/** Who touches `process.env` besides, and why. All other code reads values from src/environment.ts. */
const OTHERS: Readonly<Record<string, string>> = {
  'bin/mediaproc.js': 'sets the number of threads before anything is loaded',
  'src/cli/plugins/use.ts': 'hands the plugins on to threads and processes',
  'src/library/use-plugins.ts': 'hands the plugins on to threads',
  'src/cli/pipeline-diagnostics.ts': 'pipelines may name any variable',
  'src/engines/chromium.ts': 'hands PATH and HOME on to the browser',
  'src/engines/npm/configuration.ts': "hands npm_config_* and what .npmrc files name on to npm's own reader",
  'src/engines/process/process.ts': 'hands the few that programs need on to them',
  'src/engines/process/programs.ts': 'looks for programs in PATH',
  'src/generate/docs/docs.ts':
    'runs the examples, whose pages are ours, with a browser without a sandbox, also as root',
  'src/engines/sharp.ts': 'sets what fontconfig and Pango read',
  'src/pool/child.ts': 'hands all but secrets on to a child process',
  'src/pool/worker.ts': 'sets the folder of temporary files',
}

const TOUCHES = /\bprocess\.env\b|from 'node:process'/

/** Our own variable names in text for users; the word `MEDIAPROC_` alone is a prefix. */
const OWN = /\bMEDIAPROC_[A-Z][A-Z0-9_]*\b/g

/**
 * Problems with environment variables, as sentences: documented but unused ones, ones that are mentioned to users but
 * not documented, and `process.env` in the wrong place.
 * @param code the program's own files
 * @param documented names of the table
 * @param exceptions files that may touch `process.env`, with the reason
 */
export function variableFaults(
  code: Sources,
  documented: readonly string[] = [...Object.keys(ENVIRONMENT), ...UNSUPPORTED],
  exceptions: Readonly<Record<string, string>> = OTHERS,
): string[] {
  const faults: string[] = []
  const others = [...code].filter(([path]) => path !== HOME && !path.startsWith('src/generate/'))
  for (const name of documented) {
    if ((UNSUPPORTED as readonly string[]).includes(name)) continue
    if (!others.some(([, text]) => new RegExp(`['"]${name}['"]`).test(text)))
      faults.push(`${HOME}: ${name} is documented, but not read`)
  }
  for (const [path, text] of others) {
    if (TOUCHES.test(text) && !Object.hasOwn(exceptions, path)) faults.push(`${path}: only ${HOME} reads process.env`)
    for (const [name] of text.matchAll(OWN))
      if (!documented.includes(name)) faults.push(`${path}: ${name} is not documented in ${HOME}`)
  }
  for (const path of Object.keys(exceptions))
    if (!TOUCHES.test(code.get(path) ?? '')) faults.push(`${path}: need be no exception, it does not touch process.env`)
  return faults
}
