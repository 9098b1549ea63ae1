import type { Kind } from "../paint/numbers.js";
import type { Style } from "../paint/painter.js";
import type { Main } from "../paint/programs.js";
import type { VolumeState } from "../state.js";

/** The absorption at the high end of the range, for a length of the box's longest edge. */
export const density = 60;

/** The names of the samplers of each kind of numbers. */
const samplers: Record<Kind, string> = { uint: "usampler3D", int: "isampler3D", float: "sampler3D" };

/**
 * The ray of a pixel through the part from `low` to `high`. It begins at `p + into * t`, on a side
 * across the axis `face`, and leaves at `end`.
 */
const ray = `uniform vec3 origin,right,down,into,low,high;
uniform float rows;
uniform int steps;
vec3 p;float t,end;int face;
bool enter(){
vec2 q=vec2(gl_FragCoord.x,rows-gl_FragCoord.y);
p=origin+right*q.x+down*q.y;
vec3 a=(low-p)/into,b=(high-p)/into,n=min(a,b),f=max(a,b);
face=n.x>=n.y?(n.x>=n.z?0:2):n.y>=n.z?1:2;
t=n[face];end=min(min(f.x,f.y),f.z);
return t<end;}`;

/**
 * Visits each element that a ray meets, with its numbers in `v` and the ray's length in `l`. The
 * ray enters it through a face across the axis `face`. `visit` and `finish` are code.
 */
const walk = (visit: string, finish: string) => `${ray}
uniform vec3 light;
uniform float way;
void main(){
colour=vec4(0);
if(!enter())discard;
vec4 sum=vec4(0);
bool on=false;
T body;
ivec3 first=ivec3(floor(low)),last=ivec3(ceil(high))-1,move=ivec3(sign(into)),cell=clamp(ivec3(floor(p+into*t)),first,last);
vec3 side=step(0.,into);
float best=0.,total=0.;
for(int i=0;i<steps;i++){
vec3 n=(vec3(cell)+side-p)/into;
float then=min(min(n.x,n.y),n.z),stop=min(then,end),l=max(0.,stop-t);
V v=texelFetch(volume,cell,0);
${visit}
if(then>=end)break;
t=max(t,stop);
face=n.x<=then?0:n.y<=then?1:2;
cell[face]+=move[face];
if(any(lessThan(cell,first))||any(greaterThan(cell,last)))break;
}
if(total>0.)${finish}}`;

/** Visits the numbers that are not missing, each with its measure in `m`. */
const measured = (visit: string, finish: string) => walk(`if(!absent(v.r)){float m=measure(v.r);${visit}}`, finish);

/** Visits the elements that have a colour of their own, each with it in `colour`. */
const coloured = (visit: string, finish = "colour=sum;") =>
  walk(`if(l>0.){colour=vec4(0);paint(v);if(colour.a>0.){total+=l;${visit}on=true;body=v.r;}else on=false;}`, finish);

/** Puts a colour behind those before it. */
const behind = "sum+=(1.-sum.a)*colour;if(sum.a>.99)break;";

/**
 * The code of modes for elements with a colour of their own. It combines their colours, and never
 * their numbers. Neighbours with one label are one body, whose surface is lit.
 */
const own: Partial<Record<VolumeState["mode"], string>> = {
  maximum: coloured("sum=max(sum,colour);"),
  average: coloured("sum+=colour*l;", "colour=sum/total;"),
  shaded: coloured(behind),
};
const surfaces = coloured(`if(!on||v.r!=body){colour.rgb*=.35+.65*abs(light[face]);${behind}}`);

/** The code of each mode; without values along a ray it draws nothing. */
const modes: Record<VolumeState["mode"], string> = {
  maximum: measured("if(total==0.||m*way>best*way)best=m;total=1.;", "shade(share(best));"),
  average: measured("best+=m*l;total+=l;", "shade(share(best/total));"),
  // The nearest slice with a value counts.
  slices: `${ray}
uniform vec3 middle;
void main(){
colour=vec4(0);
if(!enter())discard;
vec3 at=(middle-p)/into;
for(int i=0;i<3;i++){
int k=at.x<=at.y?(at.x<=at.z?0:2):at.y<=at.z?1:2;
vec3 q=p+into*at[k];
q[k]=middle[k];
ivec3 cell=ivec3(floor(q));
at[k]=1e30;
if(any(lessThan(q,low))||any(greaterThanEqual(q,high)))continue;
paint(texelFetch(volume,cell,0));
if(colour.a>0.)return;
}}`,
  // The numbers are shares of the range times their presence, and their presence.
  shaded: `${ray}
uniform vec3 cells,pace,light;
uniform float stride,density;
vec2 near(vec3 q){return texture(volume,q/cells).rg;}
void main(){
colour=vec4(0);
if(!enter())discard;
vec4 sum=vec4(0);
t+=stride*.5;
for(int i=0;i<steps;i++){
if(t>=end)break;
vec3 q=p+into*t;
vec2 s=near(q);
t+=stride;
float v=s.r/max(s.g,.002);
float a=s.g*(1.-exp(-density*v*v*stride));
if(a<.0005)continue;
vec3 g=vec3(near(q+vec3(1,0,0)).r-near(q-vec3(1,0,0)).r,near(q+vec3(0,1,0)).r-near(q-vec3(0,1,0)).r,near(q+vec3(0,0,1)).r-near(q-vec3(0,0,1)).r);
vec3 n=g*pace;
float m=length(n),lit=m>0.?.35+.65*abs(dot(n,light))/m:1.;
shade(v);
sum+=(1.-sum.a)*a*vec4(colour.rgb*mix(1.,lit,min(1.,length(g)*10.)),colour.a);
if(sum.a>.99)break;
}
colour=sum;}`,
};

/** Reports whether a style gives each element a colour that no range determines. */
export const isOwn = ({ kind }: Pick<Style, "kind">): boolean => kind !== "map" && kind !== "channel";

/** Returns the main function that draws a mode of a style for a kind of numbers. */
export function modeMain(mode: VolumeState["mode"], kind: Kind, style: Pick<Style, "kind">): Main {
  const lit = mode === "shaded" && style.kind !== "colour" ? surfaces : own[mode];
  const code = (isOwn(style) && lit) || modes[mode];
  return { name: mode, code: `uniform highp ${samplers[kind]} volume;\n${code}` };
}

/** Returns the main function that writes the shares of a layer of a volume, and their presence. */
export const sharesMain = (kind: Kind): Main => ({
  name: "shares",
  code: `uniform highp ${samplers[kind]} volume;
uniform int layer;
void main(){
T x=texelFetch(volume,ivec3(gl_FragCoord.xy,layer),0).r;
colour=absent(x)?vec4(0):vec4(share(measure(x)),1,0,0);}`,
});
