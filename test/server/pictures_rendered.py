#!/usr/bin/env python3
"""
Renders pictures and reports in Chromium and prints what is wrong, then how many there were.

usage: pictures_rendered.py CHROMIUM FOLDER SCREENSHOTS      FOLDER has *.svg and *.html

Each picture stands in a page of this test, with a script that compares the boxes of its texts and marks; it is also decoded as an image, alone, and its
pixels are looked at. Reports are shown in a frame as wide as a telephone.
"""
import base64
import glob
import html
import json
import os
import re
import subprocess
import sys

SCRIPT = """
const wrong = [];
const cut = element => (element.textContent || element.getAttribute('d') || '').slice(0, 50);
function look_at_boxes(name, svg) {
    const frame = svg.getBoundingClientRect(), texts = [];
    for (const element of svg.querySelectorAll('text, path')) {
        const box = element.getBoundingClientRect();
        if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
            wrong.push(`${name}: outside of the picture: ${element.tagName} ${cut(element)}`);
        if (element.tagName == 'text') texts.push([element, box]);
    }
    for (let i = 0; i < texts.length; i++)
        for (let j = 0; j < i; j++) {
            const [a, b] = [texts[i][1], texts[j][1]];
            if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4)
                wrong.push(`${name}: text over text: ${cut(texts[i][0])} / ${cut(texts[j][0])}`);
        }
    if (texts.length == 0) wrong.push(`${name}: no text`);
}
function look_at_pixels(name, image) {
    const canvas = document.createElement('canvas');
    if (!image.naturalWidth) { wrong.push(`${name}: is no image`); return; }
    [canvas.width, canvas.height] = [Math.min(image.width, 2000), Math.min(image.height, 2000)];
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const pixels = new Uint32Array(context.getImageData(0, 0, canvas.width, canvas.height).data.buffer), colors = new Map();
    for (const pixel of pixels) colors.set(pixel, (colors.get(pixel) || 0) + 1);
    if (colors.size < 8 || Math.max(...colors.values()) > 0.9995 * pixels.length) wrong.push(`${name}: hardly anything is drawn`);
}
function look_at_report(name, frame) {
    const page = frame.contentDocument, root = page.documentElement;
    if (root.scrollWidth > root.clientWidth) wrong.push(`${name}: wider than a telephone: ${root.scrollWidth}`);
    if (page.querySelectorAll('h2').length < 5 || page.querySelectorAll('svg').length == 0) wrong.push(`${name}: sections or pictures are missing`);
    if (page.querySelector('script, link, iframe, img')) wrong.push(`${name}: has an element that it should not have`);
    page.querySelectorAll('svg').forEach((svg, i) => look_at_boxes(`${name}, picture ${i + 1}`, svg));
}
addEventListener('load', () => {
    for (const figure of document.querySelectorAll('figure')) {
        const svg = figure.querySelector('svg');
        look_at_boxes(figure.id, svg);
        look_at_pixels(figure.id, figure.querySelector('img'));
    }
    for (const frame of document.querySelectorAll('iframe')) look_at_report(frame.id, frame);
    document.body.innerHTML = '';
    document.body.append(Object.assign(document.createElement('pre'), {id: 'wrong', textContent: JSON.stringify(wrong)}));
});
"""


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def browse(browser, *arguments):
    return subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", *arguments], capture_output=True, text=True, timeout=280)


def main():
    browser, folder, screenshots = sys.argv[1:]
    pictures = {os.path.basename(path)[:-4]: read(path) for path in sorted(glob.glob(folder + "/*.svg"))}
    reports = {os.path.basename(path)[:-5]: read(path) for path in sorted(glob.glob(folder + "/*.html"))}
    figures = "".join(f'<figure id="{name}">{svg}<figcaption>{name}</figcaption></figure>' for name, svg in pictures.items())
    alone = "".join(f'<figure id="{name}">{svg}<img src="data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"></figure>' for name, svg in pictures.items())
    frames = "".join(f'<iframe id="{name}" width="390" height="700" srcdoc="{html.escape(page)}"></iframe>' for name, page in reports.items())
    style = "figure{display:inline-block;margin:4px}figcaption{font:12px monospace}"
    page, sheet = folder + "/page.htm", folder + "/sheet.htm"
    with open(page, "w", encoding="utf-8") as out:
        out.write(f'<!DOCTYPE html><meta charset="utf-8"><style>{style}</style><body>{alone}{frames}<script>{SCRIPT}</script>')
    with open(sheet, "w", encoding="utf-8") as out:
        out.write(f'<!DOCTYPE html><meta charset="utf-8"><meta name="color-scheme" content="light dark"><style>{style}svg{{max-width:640px;height:auto}}iframe{{height:4000px}}</style>{frames}{figures}')
    shown = browse(browser, "--dump-dom", "file://" + page)
    found = re.search(r'<pre id="wrong">(.*?)</pre>', shown.stdout, re.S)
    if not found:
        print("the browser did not answer:", shown.stderr[-2000:])
        return
    for line in json.loads(html.unescape(found.group(1))):
        print(line)
    for scheme in ("light", "dark"):
        dark = ["--blink-settings=preferredColorScheme=0"] if scheme == "dark" else []
        target = f"{screenshots}/{scheme}.png"
        browse(browser, *dark, "--window-size=2640,14000", f"--screenshot={target}", "file://" + sheet)
        if not os.path.exists(target):
            print("no screenshot", target)
    print(len(pictures), "pictures and", len(reports), "reports")


main()
