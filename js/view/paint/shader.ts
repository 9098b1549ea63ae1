import type { Kind } from "./numbers.js";
import type { Style } from "./painter.js";

/** A triangle that covers the canvas. Scissors, which are exact, clip it to a tile. */
export const vertexShader = `#version 300 es
void main(){gl_Position=vec4(vec2(gl_VertexID&1,gl_VertexID>>1)*4.-1.,0,1);}`;

/**
 * Definitions for the numbers of a texture: type, vector, sampler, bits of a number, number of
 * bits, and difference.
 */
const types: Record<Kind, string> = {
  uint: `#define T uint
#define V uvec4
#define S usampler2D
uint bits(uint x){return x;}
uint value(uint x){return x;}
float beyond(uint x,uint y){return x>=y?float(x-y):-float(y-x);}
uint whole(uint x){return x;}`,
  int: `#define T int
#define V ivec4
#define S isampler2D
uint bits(int x){return uint(x);}
int value(uint x){return int(x);}
float beyond(int x,int y){return x>=y?float(uint(x)-uint(y)):-float(uint(y)-uint(x));}
uint whole(int x){return uint(x);}`,
  float: `#define T float
#define V vec4
#define S sampler2D
uint bits(float x){return floatBitsToUint(x);}
float value(uint x){return uintBitsToFloat(x);}
float beyond(float x,float y){return x*magnitude-y;}
uint whole(float x){return x<0.?uint(int(max(x,-2147483648.))):x<4294967296.?uint(x):~0u;}`,
};

/** Code for each style: it computes a pixel's colour, or returns from `paint` to draw nothing. */
const styles: Record<Style["kind"], string> = {
  map: "if(!absent(v.r))shade(share(measure(v.r)));",
  channel: "if(!absent(v.r))shade(share(measure(v.r)));",
  colour: `if(nan(v.r)||nan(v.g)||nan(v.b)||nan(v.a))return;
vec3 c=line(vec3(measure(v.r),measure(parts>1?v.g:v.r),measure(parts>1?v.b:v.r)));
float a=(parts>3?clamp(float(v.a)*full,0.,1.):1.)*opacity;
colour=vec4(c*a,a);`,
  category: `int i=nan(v.r)?-1:find(v.r);
if(i<0)return;
vec4 c=entry(colours,i);
float a=c.a*opacity;
colour=vec4(c.rgb*a,a);`,
  label: `if(nan(v.r)||v.r==value(0u))return;
int i=find(v.r);
uint h=whole(v.r);
h=(h^h>>16)*0x45d9f3bu;
h=(h^h>>16)*0x45d9f3bu;
vec4 c=i<0?entry(table,int((h^h>>16)&255u)):entry(colours,i);
float a=c.a*opacity*(chosen&&v.r!=value(limits.x)?.3:1.);
colour=vec4(c.rgb*a,a);`,
};

/** Code that computes a colour from a share of the range. */
const shades: Partial<Record<Style["kind"], string>> = {
  map: `vec4 c=entry(table,int(min(t*256.+.0009765625,255.)));
colour=vec4(c.rgb*c.a,c.a)*opacity;`,
  channel: "colour=vec4(tint*t,1)*opacity;",
};

/** The main function for evenly drawn rows and columns. */
const plane = `uniform ivec2 base;
uniform vec2 corner,from,pace;
void main(){
colour=vec4(0);
vec2 i=gl_FragCoord.xy*vec2(1,-1)+corner;
paint(texelFetch(pixels,clamp(base+ivec2(floor(from+i*pace)),ivec2(0),size-1),0));}`;

/**
 * Returns the shader for one kind of numbers and one style. Numbers stay in their stored form up to
 * the exact difference from the range's low end. `limits.x` is that end or the chosen label, `.yz`
 * the valid numbers, and `.w` the first missing value. The curve is 1 for a logarithm and 2 for a
 * power. `main` finds the drawn element. `measure` keeps the order and the differences of numbers,
 * and `share` is the measure's place in the range.
 */
export const fragmentShader = (
  kind: Kind,
  style: Style["kind"],
  curve: number,
  main = plane,
): string => `#version 300 es
precision highp float;precision highp int;
uniform float magnitude;
${types[kind]}
uniform highp S pixels;
uniform highp usampler2D keys;
uniform highp sampler2D colours,table;
uniform ivec2 size;
uniform vec2 unpack;
uniform vec3 slope,tint;
uniform uvec4 limits;
uniform float opacity,exponent,full;
uniform int count,parts;
uniform bool chosen;
const int curve=${curve};
out vec4 colour;
bool nan(T x){return ${kind === "float" ? "(bits(x)&0x7fffffffu)>0x7f800000u" : "false"};}
vec4 entry(sampler2D t,int i){return texelFetch(t,ivec2(i&255,i>>8),0);}
int find(T x){
int a=0,b=count;
while(a<b){int m=(a+b)>>1;T k=value(texelFetch(keys,ivec2(m&255,m>>8),0).r);if(k==x)return m;if(k<x)a=m+1;else b=m;}
return -1;}
bool absent(T x){return nan(x)||x<value(limits.y)||x>value(limits.z)||(count==1?x==value(limits.w):count>1&&find(x)>=0);}
float measure(T x){return curve==1?float(x)*unpack.x+unpack.y:beyond(x,value(limits.x));}
vec3 line(vec3 m){return clamp((m-slope.x)*slope.y+slope.z,0.,1.);}
float share(float m){
float t=line(vec3(curve==1?m>0.?log2(m):-1e30:m)).x;
return curve==2&&t>0.?pow(t,exponent):t;}
void shade(float t){${shades[style] ?? ""}}
void paint(V v){${styles[style]}}
${main}`;
