using System.Globalization;

namespace Opossum.Storage.Transfer;

/// <summary>Refuses a line of an import, and says what was stored.</summary>
/// <param name="isDryRun">Whether nothing is stored at all.</param>
internal sealed class RefusedLine(bool isDryRun)
{
    /// <summary>The error.</summary>
    /// <param name="line">The number of the line, from 1.</param>
    /// <param name="problem">What is wrong, as the end of a sentence that begins with the line.</param>
    public StoreMaintenanceException Of(long line, string problem, string remedy)
    {
        var outcome = isDryRun
            ? "Nothing was stored: this was a dry run, and an import would store the appends before it."
            : "Nothing of its append was stored; the appends before it are.";
        var message = string.Create(CultureInfo.InvariantCulture, $"Line {line} {problem.TrimEnd('.')}. {outcome} {remedy}");
        return new StoreMaintenanceException(path: null, message) { Line = line };
    }

    /// <summary>The error of an event whose id another one has.</summary>
    /// <param name="where">Where the other one is, as the subject and the verb of a clause.</param>
    public StoreMaintenanceException OfId(ImportedEvent e, string where) => Of(e.Line,
        $"has the id {e.Content.Id}, which {where} with another content",
        "Give the event another id, or leave the line out. If they are two events of one id, import an export that has both.");
}
