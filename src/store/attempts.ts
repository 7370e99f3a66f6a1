/** An attempt to sign in. Names are hashes, and times milliseconds since 1970. */
export interface Attempt {
  account: string
  /** The account and the network of the client. */
  pair: string
  at: number
  /** Earlier attempts do not count any more. */
  since: number
}

/** Attempts that failed or have not ended, oldest first. */
export interface AttemptHistory {
  /** Times of those to the account. */
  ofAccount: readonly number[]
  /** Times of those of the pair since its last sign-in. */
  ofPair: readonly number[]
  /** Whether the pair has signed in before. */
  isKnown: boolean
  /** Whether a server is checking an attempt of the pair at this moment. */
  isBusy: boolean
}

/** Result of an attempt; `none` if it could not be checked. */
export type AttemptResult = 'right' | 'wrong' | 'none'

/** Attempts to sign in that all servers of a cluster count together. */
export interface AttemptRecords {
  /**
   * Records an attempt before it is checked. An attempt that is never ended counts as wrong.
   * @param mayBegin decides by the history, which does not change until the attempt is recorded; throws to refuse
   * @returns ends the attempt; undefined if it may not begin
   */
  begin(
    attempt: Attempt,
    mayBegin: (history: AttemptHistory) => boolean,
  ): Promise<((result: AttemptResult) => Promise<void>) | undefined>
}
