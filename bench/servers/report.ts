/** Sends the port to the parent process, and the usage for each message from it. */
export function reportToParent(port: number): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMs: (user + system) / 1000, rssBytes: process.memoryUsage.rss() });
  });
  process.send?.({ port });
}
