import type { Projection } from "../state.js";

/** The inverses in projections.ts, as shaders. Each sets `t`, the angles from the middle. */
const inverses: Record<Projection, string> = {
  "plate-carree": `if(abs(p.x)>PI||abs(latitude+p.y)>PI*.5)return false;
t=p;return true;`,
  orthographic: `float q=dot(p,p);
if(q>1.)return false;
float w=sqrt(1.-q),a=w*m.y-p.y*m.x;
t=vec2(arc(p.x,a),rise(p.y*m.y-m.x*q/(1.+w),length(vec2(a,p.x))));return true;`,
  mercator: `float h=more[0]+p.y;
if(abs(p.x)>PI||abs(h)>PI)return false;
float s=abs(p.y)<.01?p.y*(1.+p.y*p.y/6.):sinh(p.y);
t=vec2(p.x,rise(s/cosh(h)*m.y,1./cosh(h)));return true;`,
  "equal-earth": `float d=p.y/more[1],g=1.;
for(int k=0;k<6;k++){
float s=0.;g=0.;
for(int i=9;i>0;i--){s=s*d+more[i];g=g*d+float(i)*more[i];}
d-=(s*d-p.y)/g;}
float a=more[0]+d;
if(!(abs(a)<=PI/3.))return false;
float x=.86602540*p.x*g/cosine(a);
if(abs(x)>PI)return false;
float s=sine(a)/.86602540;
t=vec2(x,rise(2.*cosine(more[0]+d*.5)*sine(d*.5)/.86602540,sqrt(max(0.,1.-s*s))));return true;`,
  "north-polar": polar("1."),
  "south-polar": polar("-1."),
};

function polar(pole: string): string {
  return `vec2 u=vec2(more[0],more[1]),b=vec2(more[2],more[3]),c=b+p;
float q=dot(c,c)*.25;
if(q>1.)return false;
t=vec2(${pole}*arc(u.x*c.y-u.y*c.x,dot(u,c)),
rise(-2.*${pole}*dot(p,2.*b+p)*.25/((1.+q)*(1.+dot(b,b)*.25)),2.*sqrt(q)/(1.+q)));return true;`;
}

/**
 * Returns the main function of a fragment shader that finds the element under its pixel. `place` is
 * the middle of the view and the radius of the sphere in device pixels; `sines` is of the middle's
 * latitude; `home` is the middle in degrees; `eye` is its column and row from the tile's corner.
 * `pace` is the number of elements in a radian; `around` is the number of columns around the Earth.
 * `counts` are the columns and rows whose edges are listed in degrees, or 0 if they are even.
 *
 * Graphics processors may be wrong by 2^-11 in sines and by 4096 units in arc tangents (Vulkan 1.3,
 * Precision of core instructions). Their series have single precision.
 */
export const globeShader = (name: Projection): string => `
const float PI=3.14159265;
uniform vec3 place;
uniform vec2 m,home,eye,pace,tile,box,scaling,signs;
uniform float more[10],latitude,around;
uniform ivec2 counts,extent,piece;
uniform highp usampler2D edges;
float sine(float x){float r=1.;for(float k=12.;k>1.;k-=2.)r=1.-x*x/(k*(k+1.))*r;return x*r;}
float cosine(float x){float r=1.;for(float k=13.;k>0.;k-=2.)r=1.-x*x/(k*(k+1.))*r;return r;}
float arc(float y,float x){
float a=abs(x),b=abs(y),c=max(a,b);
if(c==0.)return 0.;
float t=min(a,b)/c,turn=0.,r=1./17.;
if(t>.41421356){t=(t-1.)/(t+1.);turn=PI*.25;}
for(float k=15.;k>0.;k-=2.)r=1./k-t*t*r;
r=turn+t*r;
if(b>a)r=PI*.5-r;
if(x<0.)r=PI-r;
return y<0.?-r:r;}
float rise(float d,float c){return c+m.y<1e-7?0.:2.*arc(d,c+m.y);}
bool invert(vec2 p,out vec2 t){t=vec2(0);
${inverses[name]}}
float edge(int i){return uintBitsToFloat(texelFetch(edges,ivec2(i&255,i>>8),0).r);}
float search(int first,int count,float x){
if(x<edge(first)||x>=edge(first+count))return -1e6;
int a=0,b=count;
while(b-a>1){int k=(a+b)>>1;if(edge(first+k)<=x)a=k;else b=k;}
return float(a)+.5;}
void main(){
colour=vec4(0);
vec2 t;
if(!invert((gl_FragCoord.xy-place.xy)/place.z,t))discard;
vec2 e=eye+t*pace,d=(home+t*(180./PI))*signs;
if(counts.x>0)e.x=search(0,counts.x,d.x-360.*floor((d.x-edge(0))/360.))-tile.x;
else e.x-=around*floor((e.x+.01)/around);
if(counts.y>0)e.y=search(counts.x>0?counts.x+1:0,counts.y,d.y)-tile.y;
if(any(lessThan(e,vec2(-.01)))||any(greaterThan(e,box+.01)))discard;
ivec2 i=clamp(ivec2(floor(e*scaling)),ivec2(0),extent-1)-piece;
if(any(lessThan(i,ivec2(0)))||any(greaterThanEqual(i,size)))discard;
paint(texelFetch(pixels,i,0));}`;
