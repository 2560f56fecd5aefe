/* record.js - page.html: a record that a program has written (SIMT_REPORT=page.json) as its page. */
'use strict';

/* What is wrong with a record, as a sentence; "": nothing. */
function faultOf(text) {
    let record;
    try {
        record = JSON.parse(text);
    } catch {
        return 'This is no JSON. A record is written with SIMT_REPORT=page.json.';
    }
    if (record === null || typeof record !== 'object' || !Array.isArray(record.launches) || !Array.isArray(record.files)) {
        return 'This JSON is no record of launches. A record is written with SIMT_REPORT=page.json.';
    }
    if (record.schema !== 1) {
        return `This record has schema ${record.schema}; this site shows schema 1.`;
    }
    return record.launches.length === 0 ? 'The program of this record launched nothing.' : '';
}

/* Shows it in the place of a frame, and returns the new one: the page of launches names its state in its own
 * address, which a text in the attribute srcdoc has not. */
async function showRecord(text, frame, fault) {
    const wrong = faultOf(text), shown = frame.cloneNode();
    fault.textContent = wrong;
    shown.hidden = wrong !== '';
    frame.replaceWith(shown);
    if (wrong === '') {
        await needScript('launches.js');
        shown.contentDocument.open();
        shown.contentDocument.write(course.launches.replace('<html lang="en">', `<html lang="en" data-theme="${root.dataset.theme}">`)
            .replace('RECORD', () => text.replaceAll('</', '<\\/')));
        shown.contentDocument.close();
    }
    return shown;
}

const recordFile = document.getElementById('record-file');
if (recordFile) {
    const show = async file => showRecord(await file.text(), document.getElementById('page-frame'),
        document.getElementById('record-fault'));
    recordFile.addEventListener('change', () => recordFile.files.length > 0 && show(recordFile.files[0]));
    document.addEventListener('dragover', event => event.preventDefault());
    document.addEventListener('drop', event => {
        event.preventDefault();
        if (event.dataTransfer.files.length > 0) {
            show(event.dataTransfer.files[0]);
        }
    });
}
