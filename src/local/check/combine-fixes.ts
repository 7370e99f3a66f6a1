import type { Finding, FixStep } from './finding.ts'

/** The order of steps: geometry before formats, and the size of the file last. */
const STAGES: readonly RegExp[] = [
  /resize/,
  /change-fps|trim/,
  /loudnorm|normalize|volume/,
  /metadata/,
  /convert/,
  /compress/,
]

const stageOf = ({ tool }: FixStep): number => {
  const stage = STAGES.findIndex((pattern) => pattern.test(tool))
  return stage < 0 ? STAGES.length : stage
}

/** Two uses of a tool as one. */
function merged(one: FixStep, other: FixStep): FixStep {
  const settings = { ...other.settings, ...one.settings }
  for (const key of ['width', 'height', 'targetSizeKb', 'fps', 'gainDb']) {
    const [a, b] = [one.settings[key], other.settings[key]]
    if (typeof a === 'number' && typeof b === 'number') settings[key] = Math.min(a, b)
  }
  const isBox = one.tool === 'image/resize' && settings.width !== undefined && settings.height !== undefined
  return { tool: one.tool, settings: isBox && settings.fit === undefined ? { ...settings, fit: 'inside' } : settings }
}

/** The steps that fix all findings of a file in one run: each tool once, in a useful order. Empty if there are none. */
export function combinedSteps(findings: readonly Finding[]): FixStep[] {
  const steps = new Map<string, FixStep>()
  for (const { fix } of findings) {
    if (!fix || fix.isManual) continue
    for (const step of fix.steps) {
      const before = steps.get(step.tool)
      steps.set(step.tool, before ? merged(before, step) : step)
    }
  }
  return [...steps.values()].sort((one, other) => stageOf(one) - stageOf(other))
}
