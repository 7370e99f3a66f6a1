export interface Stage {
  from: string
  instructions: [name: string, rest: string][]
}
export function instructionsOf(text: string): [name: string, rest: string][]
export function stagesOf(text: string): Map<string, Stage>
export function isIgnored(ignore: string, path: string): boolean
export function assignmentsOf(text: string): Record<string, string>
