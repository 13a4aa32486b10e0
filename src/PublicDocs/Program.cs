// Removes from an XML documentation file what users of the assembly cannot see. The compiler documents internal members too.
// Fails where a member that they see has documentation of some of its parameters and not of others.
//
//   PublicDocs ASSEMBLY DOCUMENTATION      changes the documentation file in place; a second run changes nothing

using System.Xml.Linq;
using PublicDocs;

if (args is not [var assembly, var documentation])
{
    Console.Error.WriteLine("Usage: PublicDocs ASSEMBLY DOCUMENTATION");
    return 1;
}

var visible = VisibleMembers.Of(assembly);
var document = XDocument.Load(documentation, LoadOptions.PreserveWhitespace);
var hidden = document.Descendants("member").Where(member => !visible.Contains(VisibleMembers.KeyOf((string)member.Attribute("name")!))).ToList();
foreach (var member in hidden)
{
    // The line that the member stood on goes with it.
    if (member.PreviousNode is XText { Value: var space } text && string.IsNullOrWhiteSpace(space))
        text.Remove();
    member.Remove();
}
if (hidden.Count > 0)
    document.Save(documentation, SaveOptions.DisableFormatting);
var lacking = document.Descendants("member").Where(static member => member.Elements("param").Any()
    && member.Elements("param").Count() < VisibleMembers.ParametersOf((string)member.Attribute("name")!)).ToList();
foreach (var member in lacking)
    Console.Error.WriteLine($"{(string)member.Attribute("name")!} lacks the documentation of a parameter.");
return lacking.Count == 0 ? 0 : 1;
