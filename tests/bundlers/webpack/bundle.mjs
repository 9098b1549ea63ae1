/** Bundles with webpack, or a bundler with its interface. */
export function bundle(webpack, dir) {
  const compiler = webpack({
    mode: "production",
    context: dir,
    entry: "./main.js",
    output: { path: `${dir}/out`, filename: "main.js" },
    performance: { hints: false },
  });
  return new Promise((resolve, reject) => {
    compiler.run((error, stats) => {
      compiler.close(() => {});
      if (error) reject(error);
      else if (stats.hasErrors() || stats.hasWarnings()) reject(new Error(stats.toString("errors-warnings")));
      else resolve();
    });
  });
}
