import type { JsonSchema } from '../../tool/json-schema.ts'
import { component } from './settings-schemas.ts'
import { count, exactly, listOf, text } from './shapes.ts'

const one = (value: string): JsonSchema => ({ type: 'string', const: value })
const percent: JsonSchema = { type: 'number', minimum: 0, maximum: 100 }
const details: JsonSchema = { type: 'string', description: 'technical details' }

/** One of several components, distinguished by a property. */
function union(description: string, propertyName: string, mapping: Record<string, string>): JsonSchema {
  const names = Object.entries(mapping)
  return {
    description,
    oneOf: names.map(([, name]) => component(name)),
    discriminator: {
      propertyName,
      mapping: Object.fromEntries(names.map(([value, name]) => [value, component(name).$ref])),
    },
  }
}

const SINGLE = { jobId: text, type: one('single') }
const result: JsonSchema = { type: ['object', 'null'], additionalProperties: true }

/** The events of GET /api/v1/jobs/:jobId/progress: each is the JSON of one `data:` line. */
export const EVENT_SCHEMAS: Record<string, JsonSchema> = {
  JobEvent: union('One event of a progress stream: the JSON of a `data:` line', 'type', {
    single: 'SingleJobEvent',
    batch: 'BatchJobEvent',
    heartbeat: 'HeartbeatEvent',
  }),
  SingleJobEvent: union('Any job but a batch', 'phase', {
    processing: 'JobProcessingEvent',
    complete: 'JobCompleteEvent',
    failed: 'JobFailedEvent',
  }),
  JobProcessingEvent: exactly({ ...SINGLE, phase: one('processing'), percent, stage: text }, ['stage']),
  JobCompleteEvent: {
    ...exactly({ ...SINGLE, phase: one('complete'), percent, result }),
    description: 'The last event; result is what the 200 answer would have been',
  },
  JobFailedEvent: {
    ...exactly({ ...SINGLE, phase: one('failed'), percent, error: text, code: text, details }, ['details']),
    description: 'The last event of a job that failed or was canceled (code CANCELED)',
  },
  BatchJobEvent: exactly(
    {
      ...{ jobId: text, type: one('batch'), status: { enum: ['processing', 'completed', 'failed'] } },
      ...{ totalFiles: count, completedFiles: count, failedFiles: count },
      errors: listOf(exactly({ filename: text, error: text, code: text, details }, ['code', 'details'])),
      currentFile: text,
      result: { type: 'object', additionalProperties: true },
    },
    ['currentFile', 'result'],
  ),
  HeartbeatEvent: { ...exactly({ type: one('heartbeat') }), description: 'Sent every 20 s' },
}
