/** What programs put into the clipboard as HTML, shortened, and the Markdown that a note gets of it. */
interface Clipboard {
  from: string;
  html: string;
  markdown: string;
  hasPictures?: true;
}

const wordPage = (body: string) => `<html xmlns:v="urn:schemas-microsoft-com:vml"
xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word" xmlns="http://www.w3.org/TR/REC-html40">
<head><meta http-equiv=Content-Type content="text/html; charset=utf-8"><meta name=Generator content="Microsoft Word 15">
<!--[if gte mso 9]><xml><w:WordDocument><w:View>Normal</w:View></w:WordDocument></xml><![endif]-->
<style><!-- p.MsoNormal, li.MsoNormal {mso-style-unhide:no; margin:0cm; font-size:12.0pt;} --></style></head>
<body lang=EN-GB style='tab-interval:36.0pt;word-wrap:break-word'><!--StartFragment-->${body}<!--EndFragment--></body></html>`;

const docsPage = (body: string) =>
  `<meta charset='utf-8'><meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-7d1c0f3e-7fff-2b1a">${body}</b><br class="Apple-interchange-newline">`;
const docsSpan = (style: string, text: string) =>
  `<span style="font-size:11pt;font-family:Arial,sans-serif;color:#000000;background-color:transparent;font-weight:400;font-style:normal;font-variant:normal;text-decoration:none;vertical-align:baseline;white-space:pre-wrap;${style}">${text}</span>`;
const docsTask = (isDone: boolean, text: string) =>
  `<li dir="ltr" role="checkbox" aria-checked="${isDone}" style="list-style-type:none;font-size:11pt;white-space:pre;" aria-level="1"><img src="data:image/png;base64,iVBORw0KGgo=" width="17.6px" height="17.6px" alt="${isDone ? 'checked' : 'unchecked'}" aria-roledescription="checkbox" style="margin-right:3px;" /><p dir="ltr" style="display:inline-block" role="presentation">${docsSpan(isDone ? 'text-decoration:line-through;' : '', text)}</p></li>`;

/** As Chrome copies from a page: each element with the style that it was seen in. */
const seen =
  'color: rgb(32, 33, 34); font-family: sans-serif; font-size: 16px; font-style: normal; font-weight: 400; letter-spacing: normal; white-space: normal; text-decoration-style: initial;';

export const clipboards: readonly Clipboard[] = [
  {
    from: 'Word: bold and italic, whose styles speak of right-to-left scripts',
    html: wordPage(
      `<p class=MsoNormal>The <b style='mso-bidi-font-weight:normal'>old</b> crane <i style='mso-bidi-font-style:normal'>stays</i>, <b style='mso-bidi-font-weight:normal'><i style='mso-bidi-font-style:normal'>for now</i></b>.<o:p></o:p></p>
<p class=MsoNormal><b style='mso-bidi-font-weight:normal'><span lang=EN-US style='font-size:14.0pt;mso-ansi-language:EN-US'>Crew</span></b><b style='mso-bidi-font-weight:normal'><span lang=EN-US> today</span></b><span style='mso-bidi-font-weight:bold'> is not bold</span></p>`,
    ),
    markdown: 'The **old** crane _stays_, **_for now_**.\n\n**Crew today** is not bold',
  },
  {
    from: 'Word: title, headings, lists and a link',
    html: wordPage(
      `<p class=MsoTitle><span lang=EN-US>Site report<o:p></o:p></span></p>
<h2><span style='font-family:"Calibri Light",sans-serif'>Steps<o:p></o:p></span></h2>
<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l1 level1 lfo2'><![if !supportLists]><span style='mso-fareast-font-family:Calibri'><span style='mso-list:Ignore'>1.<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp;&nbsp; </span></span></span><![endif]>Measure<o:p></o:p></p>
<p class=MsoListParagraphCxSpMiddle style='text-indent:-18.0pt;mso-list:l1 level1 lfo2'><![if !supportLists]><span style='mso-list:Ignore'>2.<span>&nbsp;&nbsp; </span></span><![endif]>Cut<o:p></o:p></p>
<p class=MsoListParagraphCxSpLast style='margin-left:72.0pt;text-indent:-18.0pt;mso-list:l0 level2 lfo1'><![if !supportLists]><span style='font-family:"Courier New"'><span style='mso-list:Ignore'>o<span>&nbsp;&nbsp; </span></span></span><![endif]>slowly<o:p></o:p></p>
<p class=MsoNormal>See <a href="https://example.org/plan"><span class=MsoHyperlink>the plan</span></a><span style='mso-spacerun:yes'>  </span>first.</p>`,
    ),
    markdown:
      '# Site report\n\n## Steps\n\n1. Measure\n2. Cut\n   - slowly\n\nSee [the plan](https://example.org/plan) first.',
  },
  {
    from: 'Word: a table, and text that is struck through or hidden',
    html: wordPage(
      `<table class=MsoTableGrid border=1 cellspacing=0 cellpadding=0 style='border-collapse:collapse;mso-border-alt:solid windowtext .5pt'>
<tr style='mso-yfti-irow:0;mso-yfti-firstrow:yes'><td width=300 valign=top><p class=MsoNormal><b>Name<o:p></o:p></b></p></td><td><p class=MsoNormal><b>Role</b></p></td></tr>
<tr><td><p class=MsoNormal>Ada</p></td><td><p class=MsoNormal>either | or</p></td></tr></table>
<p class=MsoNormal><s>Gone</s> <span style='display:none;mso-hide:all'>secret</span>stays<o:p>&nbsp;</o:p></p>`,
    ),
    markdown: '| **Name** | **Role** |\n| --- | --- |\n| Ada | either \\| or |\n\n~~Gone~~ stays',
  },
  {
    from: 'Google Docs: headings, weights and an inner list',
    html: docsPage(
      `<h1 dir="ltr" style="line-height:1.38;margin-top:20pt;"><span style="font-size:20pt;font-weight:400;">Plan</span></h1><p dir="ltr">${docsSpan('', 'The ')}${docsSpan('font-weight:700;', 'old')}${docsSpan('font-weight:700;', ' crane')}${docsSpan('font-style:italic;', ' stays')}${docsSpan('', '.')}</p><ul style="margin-top:0;"><li dir="ltr" aria-level="1"><p dir="ltr" role="presentation">${docsSpan('', 'one')}</p></li><ul><li dir="ltr" aria-level="2"><p>${docsSpan('', 'inner')}</p></li></ul><li dir="ltr"><p>${docsSpan('', 'two')}</p></li></ul>`,
    ),
    markdown: '# Plan\n\nThe **old crane** _stays_.\n\n- one\n  - inner\n- two',
  },
  {
    from: 'Google Docs: a list of tasks, whose boxes are no pictures',
    html: docsPage(
      `<ul style="padding-inline-start:28px;">${docsTask(false, 'Call')}${docsTask(true, 'Pay')}</ul>`,
    ),
    markdown: '- [ ] Call\n- [x] ~~Pay~~',
  },
  {
    from: 'Outlook on the web: lines, a list and a quoted mail',
    html: `<div class="elementToProof" style="font-family: Aptos, Aptos_EmbeddedFont, Calibri, sans-serif; font-size: 12pt; color: rgb(0, 0, 0);">Hello Ada,</div>
<div class="elementToProof" style="font-size: 12pt;"><br></div>
<ul data-editing-info="{&quot;applyListStyleFromLevel&quot;:true}" style="margin-top: 0px;"><li style="font-size: 12pt;"><div role="presentation" class="elementToProof">first</div></li><li><div role="presentation" class="elementToProof"><b>second</b></div></li></ul>
<hr tabindex="-1" style="display: inline-block; width: 98%;"><div id="divRplyFwdMsg" dir="ltr"><span style="font-family: Calibri, sans-serif; font-size: 11pt;"><b>From:</b> Eve &lt;eve@example.org&gt;<br><b>Subject:</b> Crane</span></div>
<blockquote style="margin-left: 0.8ex; border-left: 3px solid rgb(200, 200, 200);"><div>It stays.</div></blockquote>`,
    markdown:
      'Hello Ada,\n\n- first\n- **second**\n\n---\n\n**From:** Eve <eve@example.org>\n**Subject:** Crane\n\n> It stays.',
  },
  {
    from: 'Outlook on Windows: the paragraphs of Word in a mail',
    html: wordPage(
      `<div class=WordSection1><p class=MsoNormal><span style='mso-ligatures:standardcontextual'>Dear <b>Ada</b>,<o:p></o:p></span></p><p class=MsoNormal><o:p>&nbsp;</o:p></p><p class=MsoNormal>write to <a href="mailto:eve@example.org">eve@example.org</a><o:p></o:p></p>
<div style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm'><p class=MsoNormal><b><span lang=EN-US>Sent:</span></b><span lang=EN-US> Monday<o:p></o:p></span></p></div></div>`,
    ),
    markdown: 'Dear **Ada**,\n\nwrite to [eve@example.org](mailto:eve@example.org)\n\n**Sent:** Monday',
  },
  {
    from: 'Apple Notes: a title, lines, a dashed list and a table',
    html: `<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">
<html><head><meta http-equiv="Content-Type" content="text/html; charset=UTF-8"><meta name="Generator" content="Cocoa HTML Writer">
<style type="text/css">p.p1 {margin: 0.0px 0.0px 0.0px 0.0px; font: 23.0px '.AppleSystemUIFont'} span.s1 {font-weight: bold}</style></head>
<body><p class="p1"><b>Market</b></p><p class="p2"><br></p><p class="p3">Bread<span class="Apple-converted-space">&nbsp;</span> and <i>milk</i></p>
<ul class="ul1"><li class="li3"><span class="s1"></span>eggs</li><li class="li3"><span class="s1"></span>tea<ul class="ul1"><li class="li3">green</li></ul></li></ul>
<table cellspacing="0" cellpadding="0" class="t1"><tbody><tr><td valign="top" class="td1"><p class="p3">a</p></td><td class="td1"><p class="p3">b</p></td></tr></tbody></table></body></html>`,
    markdown: '**Market**\n\nBread and _milk_\n\n- eggs\n- tea\n  - green\n\n| a | b |\n| --- | --- |',
  },
  {
    from: 'Notion: headings, tasks, code and a call-out',
    html: `<meta charset='utf-8'><h1>Sprint</h1>
<p>Ask <strong>Ada</strong> about <code>npm ci</code> and <a href="https://www.notion.so/Plan-1?pvs=4">Plan</a></p>
<ul>
<li>[x]  Write</li>
<li>[ ]  Send
<ul>
<li>to Eve</li>
</ul>
</li>
</ul>
<ol>
<li>one</li>
<li>two</li>
</ol>
<pre><code class="language-jsx">let a = 1;
</code></pre>
<aside>
💡 <em>Mind the gap</em>

</aside>
<hr>
<!-- notionvc: 4be5f0ef-1f6c-4a4f-8a34-7a0f0f3b6c55 -->`,
    markdown:
      'Sprint|Ask **Ada** about `npm ci` and [Plan](https://www.notion.so/Plan-1?pvs=4)|- [x] Write\n- [ ] Send\n  - to Eve\n1. one\n2. two|```jsx\nlet a = 1;\n```|💡 _Mind the gap_|---'
        .replace(/^/, '# ')
        .replaceAll('|', '\n\n'),
  },
  {
    from: 'a web page: Chrome adds the style that each element was seen in',
    html: `<meta charset='utf-8'><h2 style="${seen} font-size: 1.5em;">Cranes</h2><p style="${seen} margin: 8px 0px;"><span style="${seen} display: inline !important; float: none;">A<span> </span></span><b style="color: rgb(32, 33, 34); font-weight: 700;">crane</b> lifts.<sup style="${seen}"><a href="#cite_note-1" style="text-decoration: none;">[1]</a></sup> See <a href="https://example.org/wiki/A_(b)">A <i style="font-style: italic;">(b)</i></a>, <a href="https://example.org/_x_">https://example.org/_x_</a> or <a href="javascript:alert(1)">not</a>.<br>5 * 3 is # 15</p><dl style="${seen}"><dt>Jib</dt><dd>the arm</dd></dl><figure><img src="https://upload.example/crane.jpg" alt="A crane"><figcaption>In Riga</figcaption></figure>`,
    markdown:
      '## Cranes\n\nA **crane** lifts.[1] See [A _(b)_](https://example.org/wiki/A_(b%29), https://example.org/_x_ or not.\n5 \\* 3 is # 15\n\nJib\n\nthe arm\n\nIn Riga',
    hasPictures: true,
  },
  {
    from: 'a web page: marks beside letters, and marks that meet',
    html: `<p><b>Note:</b>read <i>un</i>seen, <em>on</em><em>e</em> <del>t</del><del>wo</del> <strong> three </strong>four</p><p># no heading</p><p>1. no list</p>`,
    markdown: '**Note**:read *un*seen, _one_ ~~two~~ **three** four\n\n\\# no heading\n\n1\\. no list',
  },
];
