import { SECTIONS } from '../tool/contract.ts'
import type { JsonSchema } from '../tool/json-schema.ts'

/** Where the server reads files: folders of this machine (stdio), or the files of an account (HTTP). */
export type Place = 'local' | 'account'

/** Limits of arguments; every text and list has one. */
export const LIMITS = {
  files: 100,
  path: 4096,
  query: 255,
  id: 128,
  name: 200,
  yaml: 65_536,
  steps: 100,
  /** Characters of base64: about 3 MiB of content in all files of a call. */
  content: 4 * 1024 * 1024,
} as const

const line = (maxLength: number, description?: string): JsonSchema => ({
  type: 'string',
  maxLength,
  ...(description !== undefined && { description }),
})

const FILE: Readonly<Record<Place, JsonSchema>> = {
  local: line(LIMITS.path, 'path'),
  account: {
    type: 'object',
    description: 'fileId (library), uploadId, jobId with filename (a result), or name with content (base64)',
    properties: {
      fileId: line(LIMITS.id),
      uploadId: line(LIMITS.id),
      jobId: line(LIMITS.id),
      filename: line(255),
      name: line(LIMITS.name),
      content: line(LIMITS.content),
    },
  },
}

const TOOL_ID = line(LIMITS.id, 'id such as image/resize')
const SETTINGS: JsonSchema = { type: 'object', description: 'settings by name, as describe_tool lists them' }

/** Where local runs write. Over HTTP, results belong to a job. */
const TARGET: Record<string, JsonSchema> = {
  output_dir: line(LIMITS.path, 'folder of the outputs; default: that of the first file'),
  overwrite: {
    type: 'boolean',
    description: 'replace existing files, if the user agreed; the default is an error, or the client asks the user',
  },
}

const filesOf = (place: Place): JsonSchema => ({ type: 'array', maxItems: LIMITS.files, items: FILE[place] })

/** An MCP tool, as `tools/list` returns it. */
export interface Definition {
  name: string
  description: string
  inputSchema: JsonSchema & { type: 'object' }
  annotations: { readOnlyHint: boolean; destructiveHint?: boolean; idempotentHint?: boolean; openWorldHint: boolean }
}

const object = (
  properties: Record<string, JsonSchema>,
  required: readonly string[] = [],
): Definition['inputSchema'] => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  additionalProperties: false,
})

const READS = { readOnlyHint: true, openWorldHint: false }
/** Some tools fetch addresses that their settings name. */
const WRITES = { readOnlyHint: false, destructiveHint: false, openWorldHint: true }

function discovery(): Definition[] {
  return [
    {
      name: 'search_tools',
      description: 'Find image, video, audio, PDF and office tools by words, such as "shrink pdf". Start here.',
      inputSchema: object(
        {
          query: line(LIMITS.query, 'what to do, in a few words'),
          section: { enum: SECTIONS },
          limit: { type: 'integer', minimum: 1, maximum: 50, default: 10 },
        },
        ['query'],
      ),
      annotations: READS,
    },
    {
      name: 'list_tools',
      description: 'All tools of a section with one line each; without a section, the sections.',
      inputSchema: object({ section: { enum: SECTIONS } }),
      annotations: READS,
    },
    {
      name: 'describe_tool',
      description: 'The settings of a tool as JSON Schema, the files that it takes and returns, and examples.',
      inputSchema: object({ tool: TOOL_ID }, ['tool']),
      annotations: READS,
    },
  ]
}

/** The MCP tools of a server: few and constant, so that their schemas stay small. */
export function definitionsFor(place: Place): Definition[] {
  const isLocal = place === 'local'
  const run: Definition = {
    name: 'run_tool',
    description: isLocal
      ? 'Run a tool on files. A tool of one file runs once for each. Returns the paths of the outputs, reports and small previews.'
      : 'Run a tool on files as a job. Returns its results as resources, reports and a small preview.',
    inputSchema: object(
      {
        tool: TOOL_ID,
        files: filesOf(place),
        settings: SETTINGS,
        extra_files: {
          type: 'object',
          description: 'additional files by name, such as mask; describe_tool lists the names',
          additionalProperties: FILE[place],
        },
        ...(isLocal && {
          output_name: line(LIMITS.name, 'file name of the only output; its extension sets the format'),
          ...TARGET,
        }),
      },
      ['tool'],
    ),
    annotations: WRITES,
  }
  const pipeline: Definition = {
    name: 'run_pipeline',
    description:
      'Run several tools in a row on each file, in one call. explain checks and shows the plan without running.',
    inputSchema: object({
      steps: {
        type: 'array',
        maxItems: LIMITS.steps,
        items: { type: 'object', required: ['tool'], properties: { tool: TOOL_ID, settings: SETTINGS } },
      },
      ...(isLocal && { yaml: line(LIMITS.yaml, 'the pipeline as YAML, instead of steps') }),
      files: filesOf(place),
      explain: { type: 'boolean' },
      ...(isLocal && TARGET),
    }),
    annotations: WRITES,
  }
  const inspect: Definition = {
    name: 'inspect_file',
    description: 'Type, size, dimensions, duration, streams or pages of a file, with a small preview.',
    inputSchema: object({ file: FILE[place] }, ['file']),
    annotations: READS,
  }
  return [...discovery(), run, pipeline, ...(isLocal ? [inspect] : [])]
}

/** Short guidance that clients give to the model. */
export const INSTRUCTIONS: Readonly<Record<Place, string>> = {
  local:
    'Find a tool with search_tools, read its settings with describe_tool, then call run_tool; use run_pipeline for several steps. Inputs are never changed: outputs are new files next to them.',
  account:
    'Find a tool with search_tools, read its settings with describe_tool, then call run_tool; use run_pipeline for several steps. Results are resources of the form mediaproc://jobs/JOB/NAME, and can be inputs of other calls as jobId with filename.',
}
