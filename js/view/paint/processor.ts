let known: boolean | undefined;

/**
 * Reports whether a graphics processor draws WebGL2. Software WebGL2 is several times slower than
 * setting pixels directly. The check creates one context per page.
 */
export function hasProcessor(): boolean {
  known ??= look();
  return known;
}

function look(): boolean {
  const canvas = document.createElement("canvas");
  // Some browsers report slow rendering themselves.
  const gl = canvas.getContext("webgl2", { failIfMajorPerformanceCaveat: true });
  if (!gl) return false;
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return !/swiftshader|llvmpipe|software|basic render/i.test(name);
}
