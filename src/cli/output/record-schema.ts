import { ERRORS } from '../../errors.ts'

/** JSON Schema 2020-12 of a line printed by --json; the build writes it to dist/schemas/record.json. */
export const RECORD_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'mediaproc job record',
  description: 'One line of the output of mediaproc with --json: the outcome of one job.',
  type: 'object',
  required: ['tool', 'input', 'ok', 'ms'],
  properties: {
    tool: {
      type: 'string',
      pattern: '^([a-z]+(/[a-z0-9-]+){1,2}|pipeline/.+)$',
      description: 'section/tool, section/tool/action, or pipeline/name',
    },
    input: {
      description: 'The input as given; a list for tools that take several files, null for tools that take none.',
      oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }, { type: 'null' }],
    },
    row: {
      type: 'integer',
      minimum: 1,
      description: 'Of a pipeline with rows: the number of the row, without the header.',
    },
    line: { type: 'integer', minimum: 1, description: 'Of a pipeline with rows: the line of the CSV file.' },
    ok: { type: 'boolean' },
    skipped: { const: true, description: 'The outputs were up to date (--newer).' },
    outputs: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'bytes', 'type'],
        properties: {
          path: { type: 'string', description: '- for standard output' },
          bytes: { type: 'integer', minimum: 0 },
          type: { type: 'string', description: 'media type' },
          variant: { type: 'string', description: 'of a pipeline with variants' },
        },
        additionalProperties: false,
      },
    },
    reason: { type: 'string', description: 'With --newer: why existing outputs were recreated.' },
    planned: {
      type: 'array',
      description: 'With --dry-run: the planned outputs. outputs is empty then.',
      items: {
        type: 'object',
        required: ['path', 'action'],
        properties: {
          path: {
            type: 'string',
            description:
              '- for standard output; ends with / if the tool names the files in it; has placeholders such as {hash:8} if only the output gives their values',
          },
          action: { enum: ['write', 'replace', 'skip'] },
          reason: { type: 'string', description: 'with --newer: why the existing output is not up to date' },
          variant: { type: 'string', description: 'of a pipeline with variants' },
        },
        additionalProperties: false,
      },
    },
    steps: {
      type: 'array',
      description: 'Of a pipeline: its steps in the order in which they ran.',
      items: {
        type: 'object',
        required: ['step', 'tool', 'ms', 'fused'],
        properties: {
          step: { type: 'integer', minimum: 1 },
          tool: { type: 'string' },
          variant: { type: 'string' },
          ms: {
            type: 'integer',
            minimum: 0,
            description: 'the encode time of fused steps counts for the last of them',
          },
          fused: { type: 'integer', minimum: 1, description: 'the number of steps fused with it, including itself' },
          skipped: {
            type: 'string',
            description:
              'it did not run: the condition that the input did not meet, or the skipped variant that it needs',
          },
          bytes: {
            type: 'integer',
            minimum: 0,
            description: 'bytes that it wrote; for fused steps, their total',
          },
        },
        additionalProperties: false,
      },
    },
    result: { type: 'object', description: "The tool's report, if it has one." },
    error: {
      type: 'object',
      required: ['code', 'message', 'hint'],
      properties: { code: { enum: Object.keys(ERRORS) }, message: { type: 'string' }, hint: { type: 'string' } },
      additionalProperties: false,
    },
    moved: { type: 'string', description: 'Of watch with --done or --failed: the new path of the input.' },
    warnings: { type: 'array', minItems: 1, items: { type: 'string' } },
    ms: { type: 'integer', minimum: 0, description: 'milliseconds' },
  },
  oneOf: [
    { properties: { ok: { const: true } }, required: ['outputs'], not: { required: ['error'] } },
    {
      properties: { ok: { const: false } },
      required: ['error'],
      not: {
        anyOf: [
          { required: ['outputs'] },
          { required: ['reason'] },
          { required: ['planned'] },
          { required: ['steps'] },
          { required: ['result'] },
        ],
      },
    },
  ],
  additionalProperties: false,
} as const
