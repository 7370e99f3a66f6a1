export function cheapenScrypt(): void
export function restoreScrypt(): void
