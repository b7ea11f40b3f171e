/** How notes mention the other account of a transfer, which has no category. */
export function transferNote(account: string): string {
  return `Transfer: ${account}`;
}
