import { floatData, floats, type Tensor } from '../../engines/onnx/tensor.ts'
import type { LoadedModel } from '../use-model.ts'

/** Name prefixes of the decoder's cache inputs and of the outputs that fill them. */
const PAST = 'past_key_values.'
const PRESENT = 'present.'

const flag = (value: boolean): Tensor => ({ type: 'bool', data: Uint8Array.of(value ? 1 : 0), dims: [1] })

const numbers = (tokens: readonly number[]): Tensor => ({
  type: 'int64',
  data: BigInt64Array.from(tokens, BigInt),
  dims: [1, tokens.length],
})

/**
 * Whisper's text decoder, merged for the first and the later steps. Its caches and the encoder output stay on the
 * runtime. Encoder caches of the first step are kept: later steps output them, too, but empty (its contract).
 */
export class TokenDecoder {
  readonly #model: LoadedModel
  readonly #hidden: Tensor
  readonly #empty: Record<string, Tensor>
  readonly #caches: readonly string[]

  /** @param hidden the encoder output for the window */
  constructor(model: LoadedModel, hidden: Tensor) {
    this.#model = model
    this.#hidden = hidden
    const past = model.inputs.filter(({ name }) => name.startsWith(PAST))
    this.#caches = past.map(({ name }) => name.slice(PAST.length))
    this.#empty = Object.fromEntries(
      past.map(({ name, shape: [, heads, , size] }) => [
        name,
        floats(new Float32Array(0), [1, Number(heads), 0, Number(size)]),
      ]),
    )
  }

  /** Starts with some tokens. @returns the scores for the token after each of them */
  begin(tokens: readonly number[]): Promise<Float32Array[]> {
    const feeds = { ...this.#empty, encoder_hidden_states: this.#hidden, use_cache_branch: flag(false) }
    return this.#run(tokens, feeds, this.#caches, ['encoder_hidden_states'])
  }

  /** Continues with a token. @returns the scores for the next token */
  async next(token: number): Promise<Float32Array> {
    const own = this.#caches.filter((name) => name.includes('.decoder.'))
    return (await this.#run([token], { use_cache_branch: flag(true) }, own)).at(-1)!
  }

  async #run(
    tokens: readonly number[],
    feeds: Readonly<Record<string, Tensor>>,
    caches: readonly string[],
    keep: readonly string[] = [],
  ): Promise<Float32Array[]> {
    const carry = Object.fromEntries(caches.map((name) => [PRESENT + name, PAST + name]))
    const given = { ...feeds, input_ids: numbers(tokens) }
    const { logits } = await this.#model.run(given, { wanted: ['logits'], carry, keep })
    const scores = floatData(logits)
    const size = scores.length / tokens.length
    return tokens.map((_, index) => scores.subarray(index * size, (index + 1) * size))
  }
}
