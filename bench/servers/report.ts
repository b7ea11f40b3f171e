export function reportToParent(port: number): void {
  process.on('disconnect', () => process.exit());
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMs: (user + system) / 1000, rssBytes: process.memoryUsage.rss() });
  });
  process.send?.({ port });
}
